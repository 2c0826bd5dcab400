/**
 * Validates messages and views like Slack, with Slack's own words: `must be less than 151 characters
 * [json-pointer:/blocks/0/text/text]`.
 */
import { z } from 'zod';
import { actionElement, flag, identifier, inputElement, plain, string, text } from './elements.ts';
import { type BlockSurface, LIMITS, SURFACES } from './limits.ts';

export type Loose = Record<string, unknown>;
type Path = readonly PropertyKey[];

const block = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), block_id: identifier, ...shape });

const spans = z.array(z.strictObject({ type: z.literal('text'), text: z.string().min(1) }));
const richText = block('rich_text', {
  elements: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('rich_text_quote'), elements: spans }),
      z.strictObject({
        type: z.literal('rich_text_preformatted'),
        elements: spans,
        border: z.union([z.literal(0), z.literal(1)]).optional(),
      }),
    ]),
  ),
});

const table = block('table', {
  rows: z
    .array(
      z
        .array(z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) }))
        .min(1)
        .max(LIMITS.table.columns),
    )
    .min(1)
    .max(LIMITS.table.rows),
  column_settings: z
    .array(z.strictObject({ align: z.enum(['left', 'center', 'right']).optional(), is_wrapped: flag }))
    .max(LIMITS.table.columns)
    .optional(),
}).refine(({ rows }) => charactersIn(rows) <= LIMITS.table.characters, {
  message: `must have at most ${LIMITS.table.characters} characters in its cells`,
  path: ['rows'],
});

function charactersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]) =>
      sum + (key === 'text' && typeof part === 'string' ? part.length : charactersIn(part)),
    0,
  );
}

const label = string(LIMITS.chart.label);
const chart = z
  .strictObject({
    type: z.enum(['bar', 'line']),
    series: z
      .array(
        z.strictObject({
          name: label,
          data: z
            .array(z.strictObject({ label, value: z.number() }))
            .min(1)
            .max(LIMITS.chart.points),
        }),
      )
      .min(1)
      .max(LIMITS.chart.series),
    axis_config: z.strictObject({
      categories: z.array(label).min(1).max(LIMITS.chart.points),
      x_label: string(LIMITS.chart.axisLabel).optional(),
      y_label: string(LIMITS.chart.axisLabel).optional(),
    }),
  })
  .refine(({ series }) => isUnique(series.map(({ name }) => name)), 'series names must be unique')
  .refine(({ axis_config: { categories } }) => isUnique(categories), 'categories must be unique')
  .refine(
    ({ series, axis_config: { categories } }) =>
      series.every(({ data }) => same(new Set(data.map((point) => point.label)), new Set(categories))),
    'must have one data point per category',
  );

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;
const same = (a: Set<string>, b: Set<string>) => a.size === b.size && [...a].every((value) => b.has(value));

const simple = [
  block('section', {
    text: text().optional(),
    fields: z.array(text(LIMITS.section.field)).min(1).max(LIMITS.section.fields).optional(),
    accessory: actionElement.optional(),
    expand: flag,
  }).refine(
    (it) => it.text !== undefined || it.fields !== undefined,
    'must define either `text` or `fields`',
  ),
  block('divider', {}),
  block('header', { text: plain(LIMITS.header) }),
  block('context', { elements: z.array(text()).min(1).max(LIMITS.context) }),
  block('actions', { elements: z.array(actionElement).min(1).max(LIMITS.actions) }),
  block('input', {
    label: plain(LIMITS.input.label),
    hint: plain(LIMITS.input.hint).optional(),
    optional: flag,
    dispatch_action: flag,
    element: inputElement,
  }),
  richText,
] as const;

const anyBlock = z.discriminatedUnion('type', [
  ...simple,
  table,
  block('data_visualization', { title: string(LIMITS.chart.title), chart }),
  block('container', {
    title: plain(LIMITS.container.title),
    child_blocks: z
      .array(z.discriminatedUnion('type', [...simple, table]))
      .min(1)
      .max(LIMITS.container.children),
    width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
    is_collapsible: flag,
    default_collapsed: flag,
  }).refine((it) => !it.default_collapsed || it.is_collapsible, '`default_collapsed` needs `is_collapsible`'),
]);

const problem = (message: string, path: Path) => `${message} [json-pointer:/${path.map(String).join('/')}]`;

export function problemsOfBlocks(blocks: unknown, surface: BlockSurface, path: Path = ['blocks']): string[] {
  const most = surface === 'message' ? LIMITS.message.blocks : LIMITS.view.blocks;
  if (!Array.isArray(blocks)) return [problem('must provide an array', path)];
  if (blocks.length > most) return [problem(`no more than ${most} items allowed`, path)];
  const each = blocks.flatMap((block, i) => problemsOfBlock(block, [...path, i], surface));
  return each.length > 0 ? each : problemsAcrossBlocks(blocks as Loose[], path);
}

function problemsOfBlock(block: unknown, path: Path, surface: BlockSurface): string[] {
  const type = String((block as Loose | null)?.type);
  if (!Object.hasOwn(SURFACES, type)) return [problem(`unsupported type: ${type}`, [...path, 'type'])];
  const checked = anyBlock.safeParse(block);
  if (!checked.success) return problemsOf(checked.error, path);
  const misplaced = flattened([block as Loose]).find(
    ({ type }) => !SURFACES[String(type)]?.includes(surface),
  );
  return misplaced ? [problem(`block type ${misplaced.type} not allowed in a ${surface}`, path)] : [];
}

export function problemsOf(error: z.ZodError, path: Path = []): string[] {
  return error.issues.map((issue) => problem(sentenceOf(issue), [...path, ...issue.path]));
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `must be less than ${Number(issue.maximum) + 1} characters`;
  if (issue.code === 'too_big') return `no more than ${issue.maximum} items allowed`;
  if (issue.code === 'too_small' && issue.origin === 'string')
    return `must be more than ${Number(issue.minimum) - 1} characters`;
  if (issue.code === 'too_small') return `no less than ${issue.minimum} items allowed`;
  return issue.code === 'unrecognized_keys'
    ? `no additional properties allowed: ${issue.keys.join(', ')}`
    : issue.message;
}

function problemsAcrossBlocks(blocks: readonly Loose[], path: Path): string[] {
  const all = flattened(blocks);
  const number = (wanted: string) => all.filter(({ type }) => type === wanted).length;
  const repeats = (ids: readonly unknown[]) => !isUnique(ids.filter((id) => id !== undefined));
  const idsIn = (block: Loose) => elementsOf(block).map(({ action_id }) => action_id);
  return [
    repeats(all.map(({ block_id }) => block_id)) && 'a `block_id` already exists',
    all.some((block) => repeats(idsIn(block))) && 'an `action_id` already exists in its block',
    number('table') > LIMITS.message.tables && 'only_one_table_allowed',
    number('data_visualization') > LIMITS.message.charts && 'only_two_charts_allowed',
    JSON.stringify(blocks).length > LIMITS.view.bytes && 'blocks_too_long',
  ].flatMap((message) => (message === false ? [] : [problem(message, path)]));
}

/** Each block, followed by its children if it is a container. */
export const flattened = (blocks: readonly object[]): Loose[] =>
  (blocks as readonly Loose[]).flatMap((block) => [block, ...((block.child_blocks as Loose[]) ?? [])]);

export function elementsOf({ type, elements, accessory, element }: Loose): Loose[] {
  if (type === 'actions') return elements as Loose[];
  if (type === 'section' && accessory) return [accessory as Loose];
  return type === 'input' ? [element as Loose] : [];
}

/** Like Slack, gives an ID to each block and element that has none. */
export function withIds(blocks: readonly object[], invent: () => string): Loose[] {
  const copies = structuredClone(blocks) as Loose[];
  for (const block of flattened(copies)) {
    block.block_id ??= invent();
    for (const element of elementsOf(block)) element.action_id ??= invent();
  }
  return copies;
}

export class Rejection extends Error {
  constructor(
    readonly code: string,
    readonly problems: readonly string[] = [],
  ) {
    super([code, ...problems].join('; '));
  }
}

/**
 * @param refused further block types to reject
 * @throws Rejection with Slack's error code
 */
export function readMessage(
  message: Loose,
  refused: ReadonlySet<string> = new Set(),
): { text: string; blocks?: object[] } {
  const text = typeof message.text === 'string' ? message.text : '';
  const blocks = message.blocks ?? [];
  if (!Array.isArray(blocks)) throw new Rejection('invalid_blocks_format');
  if (text === '' && blocks.length === 0) throw new Rejection('no_text');
  if (text.length > LIMITS.message.text) throw new Rejection('msg_too_long');
  const problems = problemsOfBlocks(blocks, 'message');
  const found = problems.length === 0 && flattened(blocks).find(({ type }) => refused.has(String(type)));
  if (found) problems.push(problem(`block type ${found.type} not allowed here`, ['blocks']));
  if (problems.length > 0) throw new Rejection('invalid_blocks', problems);
  return { text, ...(blocks.length > 0 && { blocks }) };
}

const view = {
  blocks: z.array(z.record(z.string(), z.unknown())),
  private_metadata: string(LIMITS.view.privateMetadata, 0).optional(),
  callback_id: string(LIMITS.id, 0).optional(),
};
const anyView = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('home'), ...view }),
  z.strictObject({
    type: z.literal('modal'),
    ...view,
    title: plain(LIMITS.view.title),
    submit: plain(LIMITS.view.button).optional(),
    close: plain(LIMITS.view.button).optional(),
  }),
]);

type Modal = Extract<z.infer<typeof anyView>, { type: 'modal' }>;
export type ViewInput = Omit<Modal, 'type' | 'title'> & { type: 'modal' | 'home'; title?: Modal['title'] };

/**
 * @param kind `home` for `views.publish`, `modal` for all other methods
 * @throws Rejection with Slack's error code
 */
export function readView(given: unknown, kind: 'modal' | 'home'): ViewInput {
  const checked = anyView.safeParse(given);
  const reject = (problems: string[]) => new Rejection('invalid_arguments', problems);
  if (!checked.success) throw reject(problemsOf(checked.error, ['view']));
  const { data } = checked;
  if (data.type !== kind) throw reject([problem(`must be a ${kind}`, ['view', 'type'])]);
  if (Buffer.byteLength(JSON.stringify(data)) > LIMITS.view.bytes) throw new Rejection('view_too_large');
  const problems = problemsOfBlocks(data.blocks, kind, ['view', 'blocks']);
  const hasInputs = data.blocks.some(({ type, dispatch_action }) => type === 'input' && !dispatch_action);
  if (data.type === 'modal' && !data.submit && hasInputs)
    problems.push(problem('`submit` is required', ['view']));
  if (problems.length > 0) throw reject(problems);
  return data;
}
