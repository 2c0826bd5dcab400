import { describe, expect, it } from 'vitest';
import { describeReport, type PostDetails, renderPost } from '../../src/delivery/posts/post-message.ts';
import { manualPostMessage } from '../../src/delivery/posts/post-service.ts';
import type { ReportResult } from '../../src/delivery/reports/make-report.ts';
import type { Timing } from '../../src/domain/time/cadence.ts';
import { button, instantMarkup, section } from '../../src/slack/block-kit/blocks.ts';
import { describeProjects, projectLabel } from '../../src/workspace/projects/chosen-project.ts';
import { textOf } from '../support/bot.ts';
import { finding } from '../support/delivery.ts';
import { workspaceOf } from '../support/records.ts';

const workspace = workspaceOf({
  settings: { currency: 'EUR', locale: 'de-DE' },
  projects: [
    { alias: 'prod', id: '123' },
    { alias: 'logs', id: '123', product: 2, currency: 'USD' },
    { alias: 'one', id: '7' },
    { alias: 'two', id: '7' },
  ],
});

/** Money is written with no-break spaces. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('a project', () => {
  it('is called by its chosen alias, or else by its first alias, or else by its ID', () => {
    const labelOf = (id: string, product: 1 | 2, alias?: string) =>
      projectLabel({ id, product, ...(alias !== undefined && { alias }) }, workspace);
    expect([labelOf('123', 1), labelOf('123', 2), labelOf('7', 1), labelOf('9', 1)]).toEqual([
      'prod',
      'logs',
      'one',
      'Project 9',
    ]);
    expect(labelOf('9', 2)).toBe('Project 9 (Object storage)');
    expect([labelOf('7', 1, 'two'), labelOf('7', 1, 'one'), labelOf('7', 1, 'gone')]).toEqual([
      'two',
      'one',
      'one',
    ]);
    expect(labelOf('7', 1, 'prod')).toBe('one');
    expect(labelOf('123', 1, 'former')).toBe('prod');
    const projects = [
      { id: '123', product: 1 },
      { id: '9', product: 1 },
    ] as const;
    expect(describeProjects({ projects }, workspace)).toBe('prod, Project 9');
    expect(describeReport({ report: 'yesterday', projects }, workspace)).toBe(
      '“Yesterday’s spend” for prod, Project 9',
    );
  });
});

describe('a scheduled post', () => {
  const TIMING: Timing = { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' };
  const DETAILS: PostDetails = {
    ...{
      report: 'yesterday',
      timing: TIMING,
      owner: 'U0OWNER001',
      date: '2026-11-20',
      at: Date.UTC(2026, 10, 20, 8),
    },
    isLate: false,
    earlier: { counted: 0, named: [] },
    projects: [],
    workspace,
  };
  const PRINT = 'Every day at 09:00 (Europe/Rome) · set up by <@U0OWNER001>';
  const result = { ...finding('100'), covers: { ...finding('100').covers, zone: TIMING.zone } };
  const render = (details: Partial<PostDetails> = {}, report: ReportResult = result) => {
    const { text, blocks } = renderPost(report, { ...DETAILS, ...details });
    return { text, lines: textOf(blocks).split('\n'), blocks };
  };

  it('shows its report, its schedule, its owner and a Manage button', () => {
    const { text, lines } = render();
    expect(text).toBe('Spent 100');
    expect(lines).toEqual(['Spent 100', 'Manage', PRINT]);
  });

  it('says at the top when it was due, if it is late', () => {
    const { text, lines } = render({ isLate: true });
    expect(text).toBe('Late: was due 09:00. Spent 100');
    expect(lines[0]).toBe('Late: was due 09:00');
    expect(render({ isLate: true, date: '2026-11-19' }).lines[0]).toBe('Late: was due Thu 19 Nov');
    expect(render({ isLate: true, date: '2025-12-31' }).lines[0]).toBe('Late: was due Wed 31 Dec 2025');
  });

  it.each([
    ['when a day was added', {}, '*added:* AT'],
    [
      'when it was corrected, and what the amount was before',
      { was: { '123:1': '90' } },
      '*corrected:* AT (was 90,00 EUR)',
    ],
  ])('says %s', (_, given, mark) => {
    const at = Date.UTC(2026, 10, 20, 14, 2);
    const projects = [{ id: '123', product: 1 }] as const;
    const print = render({ projects, changed: { at, ...given } }).lines.at(-1) ?? '';
    expect(plain(print.replace(instantMarkup(at), 'AT'))).toBe(`${mark} · ${PRINT}`);
  });

  it('says that Tally will add a missing day later', () => {
    expect(render({ without: '2026-11-18' }).lines.at(-1)).toBe(
      `Tally adds the missing day later · ${PRINT}`,
    );
  });

  it('names the time zone of its days if the schedule has another time zone', () => {
    const covers = { ...finding('1').covers, zone: 'America/New_York' };
    expect(render({}, { ...finding('1'), covers }).lines.at(-1)).toBe(`days in America/New_York · ${PRINT}`);
  });

  it('lists missed posts in one line, with their totals', () => {
    const missed = {
      date: '2026-11-19',
      covers: { first: '2026-11-18', last: '2026-11-18', zone: 'UTC' },
    };
    const projects = [
      { id: '123', product: 1 },
      { id: '123', product: 2 },
      { id: '9', product: 1 },
    ] as const;
    const missedLine = (...named: PostDetails['earlier']['named']) =>
      plain(render({ projects, earlier: { counted: 0, named } }).lines[2] ?? '');
    const figures = { '123:1': '1234', '123:2': '12', '9:1': '1' };
    expect(missedLine({ ...missed, figures }, { date: '2026-11-19', figures: {} })).toBe(
      'Missed posts: Wed 18 Nov (1.235,00 EUR and 12,00 USD), due Thu 19 Nov (no figures)',
    );
    expect(missedLine({ ...missed, figures: { '9:1': '1' } })).toBe(
      'Missed posts: Wed 18 Nov (1,00 EUR, 1 of 3 projects)',
    );
    expect(render({ earlier: { counted: 3, named: [] } }).lines[2]).toBe('Missed posts: 3');
  });

  it('has “Details” and “Manage” in a menu beside its first lines', () => {
    const message = { text: 'x', blocks: [section('Spent 1')], print: 'no data for Tue 24 Nov' };
    const projects = [{ id: '123', product: 1 }] as const;
    const { blocks, lines } = render({ projects }, { ...result, message });
    expect(lines).toEqual(['Spent 1', 'Details', 'Manage', `no data for Tue 24 Nov · ${PRINT}`]);
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toMatchObject({
      accessory: {
        type: 'overflow',
        options: [{ value: '/spend prod 2026-11-18 details' }, { value: '/billing schedules' }],
      },
    });
  });

  it('has buttons instead of a menu if a command is too long for a menu', () => {
    const projects = Array.from({ length: 10 }, (_, n) => ({ id: `${n}`.repeat(20), product: 1 }) as const);
    const figures = Object.fromEntries(projects.map(({ id }) => [`${id}:1`, '1']));
    expect(render({ projects }, { ...finding('1'), figures }).blocks.at(-1)).toMatchObject({
      type: 'actions',
    });
    const message = { text: 'x', blocks: [], print: 'x' };
    expect(render({}, { ...finding('1'), message }).blocks.at(-1)).toMatchObject({ type: 'actions' });
  });

  it('says who sent it by hand, and whether it is a test', () => {
    const by = (why: 'test' | 'now') =>
      textOf(manualPostMessage(finding('1'), why, 'U1', []).blocks).split('\n')[0];
    expect(by('test')).toBe('Test of a scheduled post, sent by <@U1>');
    expect(by('now')).toBe('Sent by <@U1> with Send now');
    const buttons = [button('schedule-list', 'Details')];
    expect(textOf(manualPostMessage(finding('1'), 'now', 'U1', buttons).blocks)).toContain('Details');
  });
});
