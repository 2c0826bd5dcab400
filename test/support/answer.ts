/** What a person reads in Slack: a message from Tally, a form or a page. */
import * as z from 'zod';
import type { Slack } from '../../sandbox/slack/index.ts';

type Message = ReturnType<Slack['messages']>[number];

export interface Answer extends Omit<Message, 'blocks'> {
  readonly blocks: readonly Record<string, unknown>[];
  readonly visibleText: string;
  /** `visibleText` by line, without non-breaking spaces. */
  readonly lines: readonly string[];
  readonly types: readonly string[];
  readonly buttons: readonly string[];
  /** The labels of the buttons, then of the choices in menus and lists. */
  readonly labels: readonly string[];
  readonly options: readonly { readonly label: string; readonly value: string }[];
  readonly commands: readonly string[];
  readonly rows: readonly string[][];
}

const labeled = z.object({
  text: z.object({ text: z.string() }),
  value: z.string().default(''),
  action_id: z.string().default(''),
});
const menu = z.object({ options: z.array(labeled) });

export const buttonsOf = (blocks: readonly object[] = []) =>
  elementsOf(blocks).flatMap((element) =>
    element.type === 'button' ? (labeled.safeParse(element).data ?? []) : [],
  );

export const labelsOf = (blocks?: readonly object[]): readonly string[] =>
  buttonsOf(blocks).map(({ text }) => text.text);

export const optionsOf = (blocks: readonly object[] = []): Answer['options'] =>
  elementsOf(blocks)
    .flatMap((element) => menu.safeParse(element).data?.options ?? [])
    .map(({ text, value }) => ({ label: text.text, value }));

const elementsOf = (blocks: readonly object[]) =>
  (blocks as readonly { elements?: object[]; accessory?: object; element?: object }[]).flatMap(
    ({ elements = [], accessory, element }) =>
      [...elements, accessory, element].filter((one) => one !== undefined) as { readonly type?: string }[],
  );

/** A command, perhaps after the time of the question. */
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

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, entry]) => (key === 'text' && typeof entry === 'string' ? entry : textOf(entry)))
    .filter(Boolean)
    .join('\n');
}
