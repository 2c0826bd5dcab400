import { type Block, context, header, type Message, markup } from './atoms.ts';
import { escapeMarkup } from './escape.ts';

/** One line of help: how a thing is typed, what it answers, and examples that work as they stand. */
export interface HelpLine {
  readonly usage: string;
  readonly what: string;
  readonly examples?: readonly string[];
}

/** What the words of a command may be, for the small print. */
export const PERIOD_EXAMPLES = {
  order: 'Words come in any order.',
  periods:
    'Periods: yesterday, last-week, last-4-weeks, mtd, q3, 2026-10, 2026-10-01..2026-10-15, since october.',
  products: 'Products: cloud, storage, virtualization.',
} as const;

export function helpMessage(title: string, lines: readonly HelpLine[], small?: string): Message {
  const blocks: Block[] = [header(title), ...lines.map((line) => markup(lineMarkup(line)))];
  if (small !== undefined) blocks.push(context(escapeMarkup(small)));
  return { text: `${title}: ${lines.map(({ usage }) => usage).join(', ')}`, blocks };
}

/** Usage and examples are Tally's own words, so they may stand in code marks as they are. */
function lineMarkup({ usage, what, examples = [] }: HelpLine): string {
  const tries = examples.map((example) => `\`${example}\``).join(' · ');
  return [`\`${usage}\``, escapeMarkup(what), tries].filter(Boolean).join('\n');
}
