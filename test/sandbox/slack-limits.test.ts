import { describe, expect, it } from 'vitest';
import { problemsOfBlocks } from '../../sandbox/slack/blocks.ts';
import type { BlockSurface } from '../../sandbox/slack/limits.ts';
import { validateView } from '../../sandbox/slack/validate-view.ts';

type Block = Record<string, unknown>;

const of = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const plain = (length: number) => ({ type: 'plain_text', text: of(length) });
const mrkdwn = (length: number) => ({ type: 'mrkdwn', text: of(length) });

const section = (rest: Block): Block => ({ type: 'section', ...rest });
const accessory = (element: Block) => section({ text: plain(1), accessory: element });
const button = (rest: Block = {}): Block => ({ type: 'button', text: plain(1), action_id: 'a', ...rest });
const option = (i: number, rest: Block = {}) => ({ text: plain(1), value: `v${i}`, ...rest });
const select = (rest: Block): Block => ({ type: 'static_select', action_id: 'a', ...rest });
const confirm = (rest: Block) => accessory(button({ confirm: { text: plain(1), ...rest } }));
const input = (rest: Block): Block => ({
  type: 'input',
  label: plain(1),
  element: { type: 'plain_text_input' },
  ...rest,
});
const icon = () => ({ type: 'image', image_url: url(30), alt_text: 'a' });
const url = (length: number) => `https://example.com/${of(length - 20)}`;
const cells = (rows: number, columns: number, length = 1) =>
  times(rows, () => times(columns, () => ({ type: 'raw_text', text: of(length) })));
const dataTable = (rest: Block): Block => ({ type: 'data_table', caption: 'c', rows: cells(2, 2), ...rest });
const rich = (length: number) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: of(length) }] }],
});
const container = (rest: Block = {}): Block => ({
  type: 'container',
  title: plain(1),
  child_blocks: [{ type: 'divider' }],
  ...rest,
});
const pie = (count: number, segment: Block = {}): Block => ({
  type: 'data_visualization',
  title: 't',
  chart: { type: 'pie', segments: times(count, (i) => ({ label: `s${i}`, value: 1, ...segment })) },
});
const bars = (
  series: number,
  points: number,
  changes: { name?: string; label?: string; x?: string } = {},
) => {
  const label = (i: number) => `${changes.label ?? 'd'}${i}`;
  return {
    type: 'data_visualization',
    title: 't',
    chart: {
      type: 'bar',
      series: times(series, (i) => ({
        name: `${changes.name ?? 's'}${i}`,
        data: times(points, (j) => ({ label: label(j), value: j })),
      })),
      axis_config: {
        categories: times(points, label),
        ...(changes.x !== undefined && { x_label: changes.x }),
      },
    },
  };
};

/** What is limited, the limit, and blocks of a given size. */
const AT_MOST: [what: string, limit: number, make: (n: number) => Block[], on?: BlockSurface][] = [
  ['blocks of a message', 50, (n) => times(n, () => ({ type: 'divider' }))],
  ['blocks of a modal', 100, (n) => times(n, () => ({ type: 'divider' })), 'modal'],
  ['blocks of a Home', 100, (n) => times(n, () => ({ type: 'divider' })), 'home'],
  ['block_id', 255, (n) => [{ type: 'divider', block_id: of(n) }]],
  ['action_id', 255, (n) => [accessory(button({ action_id: of(n) }))]],
  ['text of a section', 3_000, (n) => [section({ text: mrkdwn(n) })]],
  ['fields of a section', 10, (n) => [section({ fields: times(n, () => plain(1)) })]],
  ['field of a section', 2_000, (n) => [section({ fields: [mrkdwn(n)] })]],
  ['header', 150, (n) => [{ type: 'header', text: plain(n) }]],
  ['elements of a context', 10, (n) => [{ type: 'context', elements: times(n, () => plain(1)) }]],
  [
    'elements of actions',
    25,
    (n) => [{ type: 'actions', elements: times(n, (i) => button({ action_id: `a${i}` })) }],
  ],
  ['url of an image', 3_000, (n) => [{ type: 'image', image_url: url(n), alt_text: 'a' }]],
  ['alt text of an image', 2_000, (n) => [{ type: 'image', image_url: url(30), alt_text: of(n) }]],
  [
    'title of an image',
    2_000,
    (n) => [{ type: 'image', image_url: url(30), alt_text: 'a', title: plain(n) }],
  ],
  ['label of an input', 2_000, (n) => [input({ label: plain(n) })], 'modal'],
  ['hint of an input', 2_000, (n) => [input({ hint: plain(n) })], 'modal'],
  ['markdown', 12_000, (n) => [{ type: 'markdown', text: of(n) }]],
  [
    'markdown in all',
    12_000,
    (n) => [
      { type: 'markdown', text: of(6_000) },
      { type: 'markdown', text: of(n - 6_000) },
    ],
  ],
  ['rows of a table', 100, (n) => [{ type: 'table', rows: cells(n, 1) }]],
  ['columns of a table', 20, (n) => [{ type: 'table', rows: cells(1, n) }]],
  [
    'characters of a table',
    10_000,
    (n) => [{ type: 'table', rows: [...cells(9, 1, 1_000), ...cells(1, 1, n - 9_000)] }],
  ],
  ['rows of a data table, its header with them', 201, (n) => [dataTable({ rows: cells(n, 1) })]],
  ['columns of a data table', 20, (n) => [dataTable({ rows: cells(2, n) })]],
  [
    'characters of a data table',
    20_000,
    (n) => [dataTable({ rows: [...cells(19, 1, 1_000), ...cells(1, 1, n - 19_000)] })],
  ],
  ['page of a data table', 100, (n) => [dataTable({ page_size: n })]],
  ['tables of a message', 1, (n) => times(n, () => dataTable({}))],
  ['charts of a message', 2, (n) => times(n, () => pie(1))],
  ['title of a chart', 50, (n) => [{ ...pie(1), title: of(n) }]],
  ['segments of a pie', 12, (n) => [pie(n)]],
  ['label of a segment', 20, (n) => [pie(1, { label: of(n) })]],
  ['series of a chart', 12, (n) => [bars(n, 1)]],
  ['points of a series', 20, (n) => [bars(1, n)]],
  ['name of a series', 20, (n) => [bars(1, 1, { name: of(n - 1) })]],
  ['label of a point', 20, (n) => [bars(1, 1, { label: of(n - 1) })]],
  ['label of an axis', 50, (n) => [bars(1, 1, { x: of(n) })]],
  [
    'children of a container',
    10,
    (n) => [container({ child_blocks: times(n, () => ({ type: 'divider' })) })],
  ],
  ['title of a container', 150, (n) => [container({ title: plain(n) })]],
  ['rich text title of a container', 150, (n) => [container({ title: undefined, rich_text_title: rich(n) })]],
  ['subtitle of a container', 150, (n) => [container({ subtitle: mrkdwn(n) })]],
  [
    'tables of a message, those in containers with them',
    1,
    (n) => times(n, () => container({ child_blocks: [{ type: 'table', rows: cells(2, 2) }] })),
  ],
  ['alert', 200, (n) => [{ type: 'alert', text: plain(n) }], 'modal'],
  ['text of a button', 75, (n) => [accessory(button({ text: plain(n) }))]],
  ['value of a button', 2_000, (n) => [accessory(button({ value: of(n) }))]],
  ['url of a button', 3_000, (n) => [accessory(button({ url: url(n) }))]],
  ['options of a select', 100, (n) => [accessory(select({ options: times(n, option) }))]],
  ['text of an option', 75, (n) => [accessory(select({ options: [option(0, { text: plain(n) })] }))]],
  ['value of an option', 150, (n) => [accessory(select({ options: [option(0, { value: of(n) })] }))]],
  [
    'description of an option',
    75,
    (n) => [accessory(select({ options: [option(0, { description: plain(n) })] }))],
  ],
  ['options of an overflow', 5, (n) => [accessory({ type: 'overflow', options: times(n, option) })]],
  ['checkboxes', 10, (n) => [accessory({ type: 'checkboxes', options: times(n, option) })]],
  ['radio buttons', 10, (n) => [accessory({ type: 'radio_buttons', options: times(n, option) })]],
  ['title of a confirmation', 100, (n) => [confirm({ title: plain(n) })]],
  ['text of a confirmation', 300, (n) => [confirm({ text: plain(n) })]],
  ['yes of a confirmation', 30, (n) => [confirm({ confirm: plain(n) })]],
  ['no of a confirmation', 30, (n) => [confirm({ deny: plain(n) })]],
  ['placeholder', 150, (n) => [accessory(select({ options: [option(0)], placeholder: plain(n) }))]],
];

describe('Block Kit limits', () => {
  it.each(AT_MOST)('%s: takes %i and refuses one more', (_what, limit, make, on = 'message') => {
    expect(problemsOfBlocks(make(limit), on)).toEqual([]);
    expect(problemsOfBlocks(make(limit + 1), on)).not.toEqual([]);
  });

  it.each<[string, Block[], BlockSurface?]>([
    ['an empty text', [section({ text: plain(0) })]],
    ['a section of nothing', [section({})]],
    ['a field that Block Kit does not know', [{ type: 'divider', colour: 'red' }]],
    ['a block type that it does not know', [{ type: 'marquee' }]],
    ['an element type that it does not know', [accessory({ type: 'lever' })]],
    ['markup in a header', [{ type: 'header', text: mrkdwn(1) }]],
    ['markup on a button', [accessory(button({ text: mrkdwn(1) }))]],
    ['a button that styles itself', [accessory(button({ style: 'default' }))]],
    ['an empty button value', [accessory(button({ value: '' }))]],
    ['a button to nowhere', [accessory(button({ url: 'nowhere' }))]],
    [
      'two blocks of one id',
      [
        { type: 'divider', block_id: 'b' },
        { type: 'divider', block_id: 'b' },
      ],
    ],
    ['two elements of one id in a block', [{ type: 'actions', elements: [button(), button()] }]],
    ['actions of nothing', [{ type: 'actions', elements: [] }]],
    ['an option list of nothing', [accessory(select({ options: [] }))]],
    ['a select with no list', [accessory(select({}))]],
    [
      'a first choice that is not offered',
      [accessory(select({ options: [option(0)], initial_option: option(1) }))],
    ],
    ['a text input outside of an input block', [accessory({ type: 'plain_text_input' })]],
    ['a button inside an input block', [input({ element: button() })], 'modal'],
    ['an impossible date', [accessory({ type: 'datepicker', initial_date: '1 May' })]],
    [
      'two first focuses',
      times(2, (i) =>
        input({ element: { type: 'plain_text_input', action_id: `a${i}`, focus_on_load: true } }),
      ),
      'modal',
    ],
    ['a data table without a caption', [{ type: 'data_table', rows: cells(1, 1) }]],
    ['a data table with a ragged edge', [dataTable({ rows: [...cells(1, 2), ...cells(1, 1)] })]],
    ['an empty cell', [{ type: 'table', rows: cells(1, 1, 0) }]],
    ['a table beside a data table', [dataTable({}), { type: 'table', rows: cells(1, 1) }]],
    ['a segment of nothing', [pie(1, { value: 0 })]],
    [
      'two series of one name',
      [
        {
          ...bars(1, 1),
          chart: { ...bars(1, 1).chart, series: [...bars(1, 1).chart.series, ...bars(1, 1).chart.series] },
        },
      ],
    ],
    [
      'a category without a point',
      [{ ...bars(1, 2), chart: { ...bars(1, 1).chart, axis_config: bars(1, 2).chart.axis_config } }],
    ],
    ['a chart without a title', [{ type: 'data_visualization', chart: pie(1).chart }]],
    ['a container in a container', [container({ child_blocks: [container()] })]],
    ['a container without a title', [container({ title: undefined })]],
    ['an empty container', [container({ child_blocks: [] })]],
    ['a container that cannot be expanded', [container({ default_collapsed: true })]],
    ['a container of no known width', [container({ width: 'huge' })]],
    ['a chart in a container', [container({ child_blocks: [pie(1)] })]],
    ['a data table in a container', [container({ child_blocks: [dataTable({})] })]],
    [
      'a table in a container on a Home',
      [container({ child_blocks: [{ type: 'table', rows: cells(1, 1) }] })],
      'home',
    ],
    [
      'a block id that a container has taken',
      [container({ child_blocks: [{ type: 'divider', block_id: 'b' }] }), { type: 'divider', block_id: 'b' }],
    ],
    ['an alert in a message', [{ type: 'alert', text: plain(1) }]],
    ['a chart in a modal', [pie(1)], 'modal'],
    ['a chart on a Home', [pie(1)], 'home'],
    ['a table in a modal', [{ type: 'table', rows: cells(1, 1) }], 'modal'],
    ['a data table on a Home', [dataTable({})], 'home'],
    ['markdown in a modal', [{ type: 'markdown', text: 'x' }], 'modal'],
    ['a container in a modal', [container()], 'modal'],
    [
      'rich text of no known kind',
      [{ type: 'rich_text', elements: [{ type: 'rich_text_poem', elements: [] }] }],
    ],
  ])('refuses %s', (_what, blocks, on = 'message') => {
    expect(problemsOfBlocks(blocks, on)).not.toEqual([]);
  });

  it('accepts a collapsed container with every kind of block that it can hold', () => {
    const children = [
      { type: 'actions', elements: [button()] },
      { type: 'context', elements: [plain(1)] },
      { type: 'divider' },
      { type: 'header', text: plain(1) },
      { type: 'image', image_url: url(30), alt_text: 'a' },
      input({}),
      rich(1),
      section({ text: plain(1) }),
      { type: 'table', rows: cells(31, 4) },
    ];
    const collapsed = container({ is_collapsible: true, default_collapsed: true, child_blocks: children });
    expect(problemsOfBlocks([collapsed], 'message')).toEqual([]);
    expect(
      problemsOfBlocks([container({ width: 'full', icon: icon(), subtitle: plain(1) })], 'home'),
    ).toEqual([]);
  });

  it('accepts a video and a file in a container, and validates them', () => {
    const video = {
      type: 'video',
      video_url: url(40),
      thumbnail_url: url(40),
      alt_text: 'a',
      title: plain(199),
    };
    const file = { type: 'file', source: 'remote', external_id: 'f' };
    expect(problemsOfBlocks([container({ child_blocks: [video, file] })], 'message')).toEqual([]);
    expect(
      problemsOfBlocks([container({ child_blocks: [{ ...video, title: plain(200) }] })], 'message'),
    ).toEqual(['must be less than 200 characters [json-pointer:/blocks/0/child_blocks/0/title/text]']);
    expect(
      problemsOfBlocks([container({ child_blocks: [{ ...file, source: 'local' }] })], 'message'),
    ).not.toEqual([]);
  });

  it('reports what is wrong and where, like Slack', () => {
    expect(problemsOfBlocks([{ type: 'divider' }, { type: 'header', text: plain(151) }], 'message')).toEqual([
      'must be less than 151 characters [json-pointer:/blocks/1/text/text]',
    ]);
  });

  it('accepts rich text with all its parts', () => {
    const spans = [
      { type: 'text', text: 'a', style: { bold: true } },
      { type: 'link', url: 'https://example.com', text: 'b' },
      { type: 'user', user_id: 'U1' },
      { type: 'date', timestamp: 1, format: '{date}', fallback: 'c' },
      { type: 'emoji', name: 'wave' },
    ];
    const part = { type: 'rich_text_section', elements: spans };
    const list = { type: 'rich_text_list', style: 'bullet', elements: [part] };
    const quote = { type: 'rich_text_quote', elements: spans };
    expect(problemsOfBlocks([{ type: 'rich_text', elements: [part, list, quote] }], 'message')).toEqual([]);
  });
});

describe('limits of a view', () => {
  const modal = (rest: Block) => ({ type: 'modal', title: plain(1), blocks: [], ...rest });
  const ok = (view: unknown, kind: 'modal' | 'home' = 'modal') => validateView(view, kind).ok;

  it.each<[string, number, (n: number) => Block]>([
    ['title', 24, (n) => modal({ title: plain(n) })],
    ['submit', 24, (n) => modal({ submit: plain(n) })],
    ['close', 24, (n) => modal({ close: plain(n) })],
    ['private_metadata', 3_000, (n) => modal({ private_metadata: of(n) })],
    ['callback_id', 255, (n) => modal({ callback_id: of(n) })],
    ['external_id', 255, (n) => modal({ external_id: of(n) })],
  ])('%s: takes %i and refuses one more', (_what, limit, make) => {
    expect(ok(make(limit))).toBe(true);
    expect(ok(make(limit + 1))).toBe(false);
  });

  it('rejects a modal without a title, a Home with one, and each instead of the other', () => {
    expect(ok({ type: 'modal', blocks: [] })).toBe(false);
    expect(ok({ type: 'home', title: plain(1), blocks: [] }, 'home')).toBe(false);
    expect(ok(modal({}), 'home')).toBe(false);
    expect(ok({ type: 'home', blocks: [] }, 'home')).toBe(true);
  });

  it('needs a submit button when it has inputs', () => {
    expect(ok(modal({ blocks: [input({})] }))).toBe(false);
    expect(ok(modal({ blocks: [input({})], submit: plain(1) }))).toBe(true);
    expect(ok(modal({ blocks: [input({ dispatch_action: true })] }))).toBe(true);
  });

  it('is too large above 250 KB', () => {
    const blocks = times(100, () => section({ text: plain(2_600) }));
    expect(validateView(modal({ blocks }), 'modal')).toMatchObject({ ok: false, error: 'view_too_large' });
  });
});
