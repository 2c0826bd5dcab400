/** Schemas of rich text, tables and charts. */
import { z } from 'zod';
import { identifier, string, webUrl } from './composition-objects.ts';
import { LIMITS } from './limits.ts';

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    underline: z.boolean().optional(),
    code: z.boolean().optional(),
  })
  .optional();

const span = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), style, ...shape });

const richSpan = z.discriminatedUnion('type', [
  span('text', { text: z.string().min(1) }),
  span('link', { url: webUrl, text: z.string().optional(), unsafe: z.boolean().optional() }),
  span('emoji', { name: z.string().min(1), unicode: z.string().optional() }),
  span('user', { user_id: z.string().min(1) }),
  span('usergroup', { usergroup_id: z.string().min(1) }),
  span('channel', { channel_id: z.string().min(1) }),
  span('team', { team_id: z.string().min(1) }),
  span('color', { value: z.string().min(1) }),
  span('broadcast', { range: z.enum(['here', 'channel', 'everyone']) }),
  span('date', {
    timestamp: z.number().int(),
    format: z.string().min(1),
    url: webUrl.optional(),
    fallback: z.string().optional(),
  }),
]);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const richSection = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(richSpan) });

export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: identifier,
  elements: z.array(
    z.discriminatedUnion('type', [
      richSection,
      z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(richSpan), border }),
      z.strictObject({
        type: z.literal('rich_text_preformatted'),
        elements: z.array(richSpan),
        border,
        language: z.string().optional(),
      }),
      z.strictObject({
        type: z.literal('rich_text_list'),
        elements: z.array(richSection),
        style: z.enum(['bullet', 'ordered']),
        indent: z.number().int().min(0).max(8).optional(),
        offset: z.number().int().min(0).optional(),
        border,
      }),
    ]),
  ),
});

const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: z.string().min(1) }),
  richText,
]);

const rows = (limit: { rows: number; columns: number }) =>
  z.array(z.array(cell).min(1).max(limit.columns)).min(1).max(limit.rows);

const isRectangular = ({ rows }: { rows: unknown[][] }) =>
  rows.every((row) => row.length === rows[0]?.length);

export const table = z
  .strictObject({
    type: z.literal('table'),
    block_id: identifier,
    rows: rows(LIMITS.table),
    column_settings: z
      .array(
        z
          .strictObject({
            align: z.enum(['left', 'center', 'right']).optional(),
            is_wrapped: z.boolean().optional(),
          })
          .nullable(),
      )
      .max(LIMITS.table.columns)
      .optional(),
  })
  .refine(({ rows }) => charactersIn(rows) <= LIMITS.table.characters, {
    message: `must have at most ${LIMITS.table.characters} characters in its cells`,
    path: ['rows'],
  });

export const dataTable = z
  .strictObject({
    type: z.literal('data_table'),
    block_id: identifier,
    caption: z.string().min(1),
    rows: rows(LIMITS.dataTable),
    page_size: z.number().int().min(1).max(LIMITS.dataTable.pageSize).optional(),
    row_header_column_index: z.number().int().min(0).optional(),
  })
  .refine(isRectangular, { message: 'must have the same number of cells in every row', path: ['rows'] })
  .refine(({ rows }) => charactersIn(rows) <= LIMITS.dataTable.characters, {
    message: `must have at most ${LIMITS.dataTable.characters} characters in its cells`,
    path: ['rows'],
  })
  .refine(({ rows, row_header_column_index: index }) => (index ?? 0) < (rows[0]?.length ?? 0), {
    message: 'must be the index of a column',
    path: ['row_header_column_index'],
  });

/** Counts the characters of every nested `text`. */
export function charactersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]) =>
      sum + (key === 'text' && typeof part === 'string' ? part.length : charactersIn(part)),
    0,
  );
}

const label = string(LIMITS.chart.label);
const point = z.strictObject({ label, value: z.number() });

const plotted = <T extends string>(type: T) =>
  z
    .strictObject({
      type: z.literal(type),
      series: z
        .array(z.strictObject({ name: label, data: z.array(point).min(1).max(LIMITS.chart.points) }))
        .min(1)
        .max(LIMITS.chart.series),
      axis_config: z.strictObject({
        categories: z.array(label).min(1).max(LIMITS.chart.points),
        x_label: string(LIMITS.chart.axisLabel).optional(),
        y_label: string(LIMITS.chart.axisLabel).optional(),
      }),
    })
    .refine(({ series }) => new Set(series.map(({ name }) => name)).size === series.length, {
      message: 'series names must be unique',
      path: ['series'],
    })
    .refine(({ axis_config: { categories } }) => new Set(categories).size === categories.length, {
      message: 'categories must be unique',
      path: ['axis_config', 'categories'],
    })
    .refine(({ series, axis_config: { categories } }) => series.every(({ data }) => fits(data, categories)), {
      message: 'must have one data point per category',
      path: ['series'],
    });

function fits(data: readonly { label: string }[], categories: readonly string[]): boolean {
  const labels = new Set(data.map((point) => point.label));
  return data.length === categories.length && categories.every((category) => labels.has(category));
}

export const chart = z.strictObject({
  type: z.literal('data_visualization'),
  block_id: identifier,
  title: string(LIMITS.chart.title),
  chart: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('pie'),
      segments: z
        .array(z.strictObject({ label, value: z.number().positive() }))
        .min(1)
        .max(LIMITS.chart.segments),
    }),
    plotted('bar'),
    plotted('area'),
    plotted('line'),
  ]),
});
