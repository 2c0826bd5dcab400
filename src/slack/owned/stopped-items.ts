import { limitLines } from '../../domain/language/text.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type Block, markup } from '../kit/atoms.ts';

/** What of one kind stops when a record changes: how many, as `2 watches`, and a line of mark-up for each. */
export interface StoppedItems {
  readonly count: string;
  readonly lines: readonly string[];
  /** Items that go on with fewer projects, a line of mrkdwn each. */
  readonly reduced?: readonly string[];
}

/** Finds what stops when the record becomes `after`; nothing if that is empty. @param locale BCP 47, of the reader */
export type StopsSource = (before: Workspace, after: Workspace, locale: string) => StoppedItems | undefined;

/** More are counted, not listed. */
const MOST_LINES = 20;

/**
 * What a change stops, by name and number, for the question and for the answer of that change.
 *
 * @param isDone whether the change was made
 * @returns no block if it stops nothing
 */
export function stoppedBlocks(
  sources: readonly StopsSource[],
  { workspace: before, locale }: { readonly workspace: Workspace; readonly locale: string },
  after: Workspace,
  isDone: boolean,
): readonly Block[] {
  const found = sources.flatMap((source) => source(before, after, locale) ?? []);
  if (found.length === 0) return [];
  const lines = found.flatMap((items) => items.lines);
  const reduced = found.flatMap((items) => items.reduced ?? []);
  const counts = found.flatMap(({ count, lines: some }) => (some.length > 0 ? [count] : [])).join(' and ');
  return [
    ...(lines.length === 0
      ? []
      : [markup(`*${isDone ? 'Stopped' : 'This stops'} ${counts}:*\n${bullets(lines)}\n${RESUMES}`)]),
    ...(reduced.length === 0 ? [] : [markup(`*Goes on with fewer projects:*\n${bullets(reduced)}`)]),
  ];
}

/** Why a schedule or a watch is paused where a change of the record can mend it. */
export const PAUSED_TEXTS = {
  'project-limited': 'paused: the project is limited to other channels',
  'not-connected': 'paused: its connection to the billing service is missing',
} as const;
export const RESUMES_BY_ITSELF = ' · resumes automatically once it works';

const RESUMES = 'They resume by themselves once they can run again.';

const bullets = (lines: readonly string[]): string =>
  limitLines(
    lines.map((line) => `• ${line}`),
    MOST_LINES,
  ).join('\n');
