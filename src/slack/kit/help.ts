import { PRODUCT_WORDS } from '../../domain/product.ts';
import { type Block, context, escapeMarkup, header, type Message, markup } from './atoms.ts';

/** How a command is typed, what it does in one sentence, and examples that can be typed as they are. */
export interface HelpLine {
  readonly usage: string;
  readonly what: string;
  /** The same in a few words, for the short `/billing help`; a line without it is behind **More…**. */
  readonly short?: string;
  readonly examples?: readonly string[];
  /** What the command needs beyond the right to ask. */
  readonly right?: 'member' | 'manage';
}

/** What the words of a command can be, for the last line. */
export const PERIOD_EXAMPLES = {
  order: 'Words come in any order.',
  periods:
    'Periods: yesterday, last-week, last-4-weeks, mtd, q3, 2026-10, 2026-10-01..2026-10-15, since october.',
  products: `Products: ${PRODUCT_WORDS}.`,
} as const;

/** One block per line, with its examples. @param small plain text for the last line */
export function helpMessage(title: string, lines: readonly HelpLine[], small?: string): Message {
  const blocks: Block[] = [header(title), ...lines.map((line) => markup(lineMarkup(line)))];
  if (small !== undefined) blocks.push(context(escapeMarkup(small)));
  return { text: `${title}: ${lines.map(({ usage }) => usage).join(', ')}`, blocks };
}

/** Examples, a line each, then the lines of help. @param examples plain text, which may hold a project's name @param end what follows the lines */
export function shortHelpMessage(
  title: string,
  examples: readonly string[],
  lines: readonly HelpLine[],
  end: Block,
): Message {
  const tries = examples.map((example) => `\`${escapeMarkup(example)}\``);
  const uses = lines.map(({ usage, what }) => `\`${usage}\` ${escapeMarkup(what)}`);
  return {
    text: `${title}: ${lines.map(({ usage }) => usage).join(', ')}`,
    blocks: [header(title), markup(tries.join('\n')), markup(uses.join('\n')), end],
  };
}

/** @param examples plain text, which may hold a project's name */
export const exampleMarkup = (examples: readonly string[]): string =>
  `Try ${examples.map((example) => `\`${escapeMarkup(example)}\``).join(' · ')}`;

/** Usage and examples are Tally's own words, so they need no escaping inside code marks. */
function lineMarkup({ usage, what, examples = [] }: HelpLine): string {
  const tries = examples.map((example) => `\`${example}\``).join(' · ');
  return [`\`${usage}\``, escapeMarkup(what), tries].filter(Boolean).join('\n');
}
