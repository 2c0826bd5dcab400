/** What a person reads in Slack: a message of Tally’s, a form or a page. */
import * as z from 'zod';
import type { Slack } from '../../sandbox/slack/index.ts';

type Message = ReturnType<Slack['messages']>[number];

/** A message as the person sees it. */
export interface Answer extends Omit<Message, 'blocks'> {
  readonly blocks: readonly Record<string, unknown>[];
  /** All texts in the blocks, one on each line. */
  readonly visibleText: string;
  /** The same by line, without non-breaking spaces. */
  readonly lines: readonly string[];
  readonly types: readonly string[];
  /** The labels of its buttons. */
  readonly buttons: readonly string[];
  /** The same, then what its menus and lists offer. */
  readonly labels: readonly string[];
  /** What its menus and lists offer. */
  readonly options: readonly { readonly label: string; readonly value: string }[];
  /** The commands that its buttons and menus run. */
  readonly commands: readonly string[];
  /** The rows of its table. */
  readonly rows: readonly string[][];
}

const labeled = z.object({
  ...{
    text: z.object({ text: z.string() }),
    value: z.string().default(''),
    action_id: z.string().default(''),
  },
});
const menu = z.object({ options: z.array(labeled) });

/** Every button in the blocks. */
export const buttonsOf = (blocks: readonly object[] = []) =>
  elementsOf(blocks).flatMap((element) =>
    element.type === 'button' ? (labeled.safeParse(element).data ?? []) : [],
  );

export const labelsOf = (blocks?: readonly object[]): readonly string[] =>
  buttonsOf(blocks).map(({ text }) => text.text);

/** What every menu or list in the blocks offers. */
export const optionsOf = (blocks: readonly object[] = []): Answer['options'] =>
  elementsOf(blocks)
    .flatMap((element) => menu.safeParse(element).data?.options ?? [])
    .map(({ text, value }) => ({ label: text.text, value }));

const elementsOf = (blocks: readonly object[]) =>
  (blocks as readonly { elements?: object[]; accessory?: object; element?: object }[]).flatMap(
    ({ elements = [], accessory, element }) =>
      [...elements, accessory, element].filter((one) => one !== undefined) as { readonly type?: string }[],
  );

/** A command, perhaps after the time at which it was asked. */
const COMMAND = /^(?:\d+ )?(\/.+)$/;

export function toAnswer(message: Omit<Message, 'blocks'> & { readonly blocks?: readonly object[] }): Answer {
  const blocks = (message.blocks ?? []) as Answer['blocks'];
  const visibleText = textOf(blocks);
  const options = optionsOf(blocks);
  const values = [...buttonsOf(blocks).map(({ value }) => value), ...options.map(({ value }) => value)];
  return {
    ...message,
    blocks,
    visibleText,
    options,
    lines: visibleText.replaceAll('\u00a0', ' ').split('\n'),
    types: blocks.map(({ type }) => String(type)),
    buttons: labelsOf(blocks),
    labels: [...labelsOf(blocks), ...options.map(({ label }) => label)],
    commands: values.flatMap((value) => COMMAND.exec(value)?.[1] ?? []),
    rows: rowsOf(blocks),
  };
}

const tableBlock = z.object({
  type: z.literal('table'),
  rows: z.array(z.array(z.object({ text: z.string() }))),
});

/** The rows of a message’s table, without non-breaking spaces. */
export const rowsOf = (blocks: readonly object[]): readonly string[][] =>
  blocks.flatMap((block) => {
    const { rows = [] } = tableBlock.safeParse(block).data ?? {};
    return rows.map((row) => row.map(({ text }) => text.replaceAll('\u00a0', ' ')));
  });

/** Every text in blocks or a view, one on each line. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, entry]) => (key === 'text' && typeof entry === 'string' ? entry : textOf(entry)))
    .filter(Boolean)
    .join('\n');
}
