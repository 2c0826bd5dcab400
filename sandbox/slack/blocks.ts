/**
 * Validates blocks like Slack. Every problem is in Slack's own form:
 * `must be less than 151 characters [json-pointer:/blocks/0/text/text]`.
 */
import { z } from 'zod';
import {
  hasOneSource,
  identifier,
  image,
  imageSource,
  plain,
  string,
  text,
  webUrl,
} from './composition-objects.ts';
import { charactersIn, chart, dataTable, richText, table } from './data-blocks.ts';
import { asAccessory, inActions, inInput } from './elements.ts';
import { type BlockSurface, LIMITS, SURFACES } from './limits.ts';

const block = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), block_id: identifier, ...shape });

const section = block('section', {
  text: text(LIMITS.section.text).optional(),
  fields: z.array(text(LIMITS.section.field)).min(1).max(LIMITS.section.fields).optional(),
  accessory: asAccessory.optional(),
  expand: z.boolean().optional(),
}).refine((it) => it.text !== undefined || it.fields !== undefined, 'must define either `text` or `fields`');

const simple = [
  section,
  block('divider', {}),
  block('header', { text: plain(LIMITS.header) }),
  block('context', {
    elements: z
      .array(z.discriminatedUnion('type', [image, ...text().options]))
      .min(1)
      .max(LIMITS.context),
  }),
  block('actions', { elements: z.array(inActions).min(1).max(LIMITS.actions) }),
  block('image', {
    alt_text: string(LIMITS.image.alt),
    title: plain(LIMITS.image.title).optional(),
    ...imageSource,
  }).refine(hasOneSource, 'must define either `image_url` or `slack_file`'),
  block('input', {
    label: plain(LIMITS.input.label),
    hint: plain(LIMITS.input.hint).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
    element: inInput,
  }),
  richText,
] as const;

const video = block('video', {
  video_url: webUrl,
  thumbnail_url: webUrl,
  alt_text: string(LIMITS.image.alt),
  title: plain(LIMITS.video.title),
  title_url: webUrl.optional(),
  author_name: string(LIMITS.video.author).optional(),
  provider_name: string(LIMITS.video.provider).optional(),
  provider_icon_url: webUrl.optional(),
  description: plain(LIMITS.text).optional(),
});

const file = block('file', { source: z.literal('remote'), external_id: string(LIMITS.id) });

const richTitle = richText.refine((it) => charactersIn(it) <= LIMITS.container.title, {
  message: `must be less than ${LIMITS.container.title + 1} characters`,
});

const container = block('container', {
  title: plain(LIMITS.container.title).optional(),
  rich_text_title: richTitle.optional(),
  subtitle: text(LIMITS.container.subtitle).optional(),
  child_blocks: z
    .array(z.discriminatedUnion('type', [...simple, table, video, file]))
    .min(1)
    .max(LIMITS.container.children),
  width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
  icon: image.optional(),
  is_collapsible: z.boolean().optional(),
  default_collapsed: z.boolean().optional(),
  has_header_divider: z.boolean().optional(),
})
  .refine((it) => it.title !== undefined || it.rich_text_title !== undefined, 'must define a title')
  .refine((it) => !it.default_collapsed || it.is_collapsible, '`default_collapsed` needs `is_collapsible`');

const anyBlock = z.discriminatedUnion('type', [
  ...simple,
  container,
  table,
  dataTable,
  chart,
  block('alert', {
    text: text(LIMITS.alert),
    level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
  }),
  block('markdown', { text: string(LIMITS.message.markdown) }),
]);

type Loose = Record<string, unknown>;
type Path = readonly PropertyKey[];

const problem = (message: string, path: Path) => `${message} [json-pointer:/${path.map(String).join('/')}]`;

/** @returns what Slack would reject about these blocks on this surface; empty when they are valid */
export function problemsOfBlocks(blocks: unknown, surface: BlockSurface): string[] {
  const most = surface === 'message' ? LIMITS.message.blocks : LIMITS.view.blocks;
  if (!Array.isArray(blocks)) return [problem('must provide an array', ['blocks'])];
  if (blocks.length > most) return [problem(`no more than ${most} items allowed`, ['blocks'])];
  const each = blocks.flatMap((block, i) => problemsOfBlock(block, ['blocks', i], surface));
  return each.length > 0 ? each : problemsAcrossBlocks(blocks as Loose[], surface);
}

function problemsOfBlock(block: unknown, path: Path, surface: BlockSurface): string[] {
  const type = String((block as Loose | null)?.type);
  const allowed = Object.hasOwn(SURFACES, type) ? SURFACES[type] : undefined;
  if (!allowed) return [problem(`unsupported type: ${type}`, [...path, 'type'])];
  if (!allowed.includes(surface)) return [problem(`block type ${type} not allowed in a ${surface}`, path)];
  const checked = anyBlock.safeParse(block);
  if (!checked.success) return blockProblems(checked.error, path);
  return childrenOf(block as Loose).flatMap((child, i) => {
    const type = String(child.type);
    const isAllowed = !Object.hasOwn(SURFACES, type) || SURFACES[type]?.includes(surface);
    const at = [...path, 'child_blocks', i];
    return isAllowed ? [] : [problem(`block type ${type} not allowed in a ${surface}`, at)];
  });
}

/** Shared with the schemas of views and of suggested options. */
export function blockProblems(error: z.ZodError, path: Path = []): string[] {
  return error.issues.map((issue) => problem(sentenceOf(issue), [...path, ...issue.path]));
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      return issue.origin === 'string'
        ? `must be less than ${Number(issue.maximum) + 1} characters`
        : `no more than ${issue.maximum} ${issue.origin === 'array' ? 'items allowed' : 'allowed'}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must be more than ${Number(issue.minimum) - 1} characters`
        : `no less than ${issue.minimum} ${issue.origin === 'array' ? 'items allowed' : 'allowed'}`;
    case 'unrecognized_keys':
      return `no additional properties allowed: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'failed to match all allowed schemas';
    default:
      return issue.message;
  }
}

function problemsAcrossBlocks(blocks: readonly Loose[], surface: BlockSurface): string[] {
  const all = flattened(blocks);
  const ofType = (...types: string[]) => all.filter(({ type }) => types.includes(String(type)));
  const markdown = charactersIn(ofType('markdown'));
  const tables = ofType('table', 'data_table').length;
  const focused = all.flatMap(elementsOf).filter((element) => element.focus_on_load === true).length;
  return [
    ...repeated(all.map(({ block_id }) => block_id)).map((id) => `\`block_id\` ${id} already exists`),
    ...all.flatMap((block) =>
      repeated(elementsOf(block).map(({ action_id }) => action_id)).map(
        (id) => `\`action_id\` ${id} already exists in its block`,
      ),
    ),
    ...(tables > LIMITS.message.tables ? ['only_one_table_allowed'] : []),
    ...(ofType('data_visualization').length > LIMITS.message.charts ? ['only_two_charts_allowed'] : []),
    ...(markdown > LIMITS.message.markdown ? ['markdown must be less than 12001 characters in all'] : []),
    ...(focused > 1 ? ['`focus_on_load` may be set once in a view'] : []),
    ...(surface === 'message' && JSON.stringify(blocks).length > LIMITS.view.bytes
      ? ['blocks_too_long']
      : []),
  ].map((message) => problem(message, ['blocks']));
}

function repeated(ids: readonly unknown[]): unknown[] {
  const present = ids.filter((id) => id !== undefined);
  return [...new Set(present.filter((id, i) => present.indexOf(id) !== i))];
}

const childrenOf = (block: Loose) => (block.child_blocks as Loose[] | undefined) ?? [];

/** Returns each block, followed by its children when it is a container. */
export const flattened = (blocks: readonly object[]): Loose[] =>
  (blocks as readonly Loose[]).flatMap((block) => [block, ...childrenOf(block)]);

/** Returns a block's interactive elements. For a container, flatten it first. */
export function elementsOf(block: Loose): Loose[] {
  const { type, elements, accessory, element } = block as Record<string, unknown>;
  if (type === 'actions') return elements as Loose[];
  if (type === 'section' && accessory) return [accessory as Loose];
  return type === 'input' ? [element as Loose] : [];
}
