/** What posts say of projects, dates and changed figures. */
import { describe, expect, it } from 'vitest';
import {
  changedFigures,
  correctionLines,
  correctionMessage,
  manualPostMessage,
  type PostDetails,
  renderPost,
} from '../../src/delivery/posts/post-blocks.ts';
import { describeReport, type ReportResult } from '../../src/delivery/posts/run-report.ts';
import type { Timing } from '../../src/domain/time/cadence.ts';
import { formatMoment } from '../../src/domain/time/calendar.ts';
import { button, context, section } from '../../src/slack/kit/blocks.ts';
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

/** Amounts are written with spaces that do not break. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('a project', () => {
  it('is called by the name it was chosen by, else by its only name, else by its ID', () => {
    const labelOf = (id: string, product: 1 | 2, alias?: string) =>
      projectLabel({ id, product, ...(alias !== undefined && { alias }) }, workspace);
    expect([labelOf('123', 1), labelOf('123', 2), labelOf('7', 1), labelOf('9', 1)]).toEqual([
      ...['prod', 'logs', 'Project 7', 'Project 9'],
    ]);
    expect(labelOf('9', 2)).toBe('Project 9 (Object storage)');
    expect([labelOf('7', 1, 'two'), labelOf('7', 1, 'one'), labelOf('7', 1, 'gone')]).toEqual([
      ...['two', 'one', 'Project 7'],
    ]);
    // A name that means another project by now.
    expect(labelOf('7', 1, 'prod')).toBe('Project 7');
    expect(labelOf('123', 1, 'former')).toBe('prod');
    const projects = [
      { id: '123', product: 1 },
      { id: '9', product: 1 },
    ] as const;
    expect(describeProjects({ projects }, workspace)).toBe('prod, Project 9');
    expect(describeReport({ report: 'yesterday', projects }, workspace)).toBe(
      '“Yesterday’s spend” for prod, Project 9',
    );
    expect(formatMoment(Date.UTC(2026, 10, 21, 14), 'Europe/Rome')).toBe(
      'Sat 21 Nov 2026, 15:00 (Europe/Rome)',
    );
  });
});

describe('a correction', () => {
  it.each<[string, string | undefined, string | undefined, number, boolean]>([
    ['more than its share', '100', '105.000000001', 5, true],
    ['exactly its share', '100', '105', 5, false],
    ['exactly its share downwards', '-100', '-105', 5, false],
    ['less, downwards, than its share', '100', '96', 5, false],
    ['more, downwards, than its share', '100', '94', 5, true],
    ['nothing where any change counts', '100', '100.00', 0, false],
    ['a hair where any change counts', '100', '100.01', 0, true],
    ['something out of nothing', '0', '0.01', 100, true],
    ['everything', '5', undefined, 100, true],
    ['a figure that was missing', undefined, '5', 100, true],
    ['nothing that can be read', 'x', 'y', 0, false],
  ])('tells of %s', (_, before, after, percent, isTold) => {
    const figuresOf = (digits: string | undefined) => (digits === undefined ? {} : { '123:1': digits });
    const changed = changedFigures(figuresOf(before), figuresOf(after), percent);
    expect(changed).toEqual(isTold ? { '123:1': before ?? '' } : {});
  });

  it('says what each figure was and is', () => {
    const before = { '123:1': '100', '9:1': '5', '8:1': '', '7:1': '10', '123:2': '7' };
    const after = { '123:1': '110', '8:1': '1', '123:2': '7', '7:1': '20' };
    const projects = [{ id: '7', product: 1, alias: 'two' } as const];
    const lines = correctionLines(before, after, projects, workspace);
    expect(lines.map(plain)).toEqual([
      'prod: 100,00 EUR → 110,00 EUR (▲ 10,0 %)',
      'Project 9: 5,00 EUR → no figure',
      'Project 8: no figure → 1,00 EUR',
      'two: 10,00 EUR → 20,00 EUR (▲ 100,0 %)',
    ]);
    const told = correctionMessage(lines, 1);
    expect(textOf(told.blocks).split('\n')).toEqual(['Figures changed since this was posted:', ...lines]);
    expect(told.text).toBe(textOf(told.blocks).split('\n').slice(0, 2).join(' '));
    const many = correctionMessage(
      Array.from({ length: 42 }, (_, n) => `line ${n + 1}`),
      20,
    );
    expect(textOf(many.blocks).split('\n')[0]).toBe('Figures of 20 posts here changed:');
    expect(textOf(many.blocks).split('\n').slice(-2)).toEqual(['line 30', 'and 12 more, each in its post']);
  });
});

describe('a post', () => {
  const TIMING: Timing = { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' };
  const DETAILS: PostDetails = {
    ...{
      timing: TIMING,
      owner: 'U0OWNER001',
      date: '2026-11-20',
      at: Date.UTC(2026, 10, 20, 8),
      correctsFrom: 5,
    },
    ...{ isLate: false, earlier: { counted: 0, named: [] }, projects: [], workspace },
  };
  const render = (details: Partial<PostDetails> = {}, result: ReportResult = finding('100')) => {
    const { text, blocks } = renderPost(result, { ...DETAILS, ...details });
    return { text, lines: textOf(blocks).split('\n'), blocks };
  };

  it('adds to its report only how often it comes, who set it up, and how to manage it', () => {
    const { text, lines } = render();
    expect(text).toBe('Spent 100');
    expect(lines).toEqual([
      'Spent 100',
      'Every day at 09:00 (Europe/Rome) · set up by <@U0OWNER001>',
      'Manage',
    ]);
  });

  it('says what is special about it, above', () => {
    const late = 'Late: was due Fri 20 Nov 2026, 09:00 (Europe/Rome)';
    const { text, lines } = render({
      isLate: true,
      without: '2026-11-19',
      corrected: Date.UTC(2026, 10, 21, 14),
    });
    expect(text).toBe(`${late}. Spent 100`);
    expect(lines.slice(0, 4)).toEqual([
      late,
      'The billing service hadn’t reported Thu 19 Nov when this was posted. Tally fills it in when it arrives.',
      'Corrected Sat 21 Nov 2026, 15:00 (Europe/Rome)',
      'Spent 100',
    ]);
    expect(render({ without: '2026-11-19', correctsFrom: 0 }).lines[0]).toBe(
      'The billing service hadn’t reported Thu 19 Nov when this was posted.',
    );
  });

  it('names what was missed, below', () => {
    const missed = {
      date: '2026-11-19',
      isUnclear: false,
      covers: { first: '2026-11-18', last: '2026-11-18', zone: 'UTC' },
    };
    const linesOf = (...named: PostDetails['earlier']['named']) =>
      render({ earlier: { counted: 0, named } })
        .lines.slice(2)
        .map(plain);
    expect(linesOf({ ...missed, figures: { '123:1': '1234', '123:2': '12', '9:1': 'x' } })).toEqual([
      'Missed earlier:',
      'Wed 18 Nov 2026 UTC: prod 1.234,00 EUR · logs 12,00 USD · Project 9 no figure (due Thu 19 Nov)',
      'Manage',
    ]);
    expect(linesOf({ ...missed, figures: {} })[1]).toBe('Wed 18 Nov 2026 UTC: no figures (due Thu 19 Nov)');
    expect([1, 2].map((counted) => render({ earlier: { counted, named: [] } }).lines[3])).toEqual([
      '1 earlier date',
      '2 earlier dates',
    ]);
  });

  it('says why a missed date has no figures, on whichever day it is drawn again', () => {
    const days = { first: '2026-11-18', last: '2026-11-18' };
    const cause = { kind: 'no-data', data: { question: { project: '123', product: 1, days } } };
    const earlier = { counted: 0, named: [{ date: '2026-11-19', isUnclear: true, cause }] };
    const [line] = render({ earlier }).lines.slice(3);
    expect(line).toMatch(
      /^No figures \(due Thu 19 Nov\)\. .*18 Nov\b(?! 2026).* it may be in the channel\.$/,
    );
    expect(render({ earlier, corrected: Date.UTC(2027, 0, 1) }).lines).toContain(line);
  });

  it('adds how often it comes to the report’s small print, and puts the report’s buttons before “Manage”', () => {
    const message = { text: 'x', blocks: [section('Spent 1'), context('as of now')] };
    const { blocks } = render(
      {},
      { ...finding('1'), message, buttons: [button('schedule-list', 'Details')] },
    );
    expect(blocks).toHaveLength(3);
    expect(textOf(blocks)).toBe(
      'Spent 1\nas of now\nEvery day at 09:00 (Europe/Rome) · set up by <@U0OWNER001>\nDetails\nManage',
    );
  });

  it('by hand says who sent it, and whether it is a test', () => {
    const by = (why: 'test' | 'test-to-me' | 'now') =>
      textOf(manualPostMessage(finding('1'), why, 'U1').blocks).split('\n')[0];
    expect(by('test')).toBe('Test of a scheduled post, sent by <@U1>');
    expect(by('test-to-me')).toBe(by('test'));
    expect(by('now')).toBe('Sent by <@U1> with Send now');
    expect(manualPostMessage(finding('1'), 'now', 'U1').blocks).toHaveLength(2);
    const withButtons = { ...finding('1'), buttons: [button('schedule-list', 'Details')] };
    expect(textOf(manualPostMessage(withButtons, 'now', 'U1').blocks)).toContain('Details');
  });
});
