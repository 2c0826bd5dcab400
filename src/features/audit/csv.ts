import { formatCsv } from '../../domain/csv.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Message, preformatted, SLACK_LIMITS, textMessage } from '../../slack/kit/blocks.ts';
import type { RecordedEntry } from '../../workspace/record/audit.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';

/** IDs of channels and people, as words of their own, not in markup that somebody typed. A cut one ends in “…”. */
export const SLACK_ID_PATTERN = /(?<![\w@#-])(?=[A-Z]*\d)([CGUW][A-Z0-9]{8,30})(?![\w…-])/;

/** An entry with what it is about, as text. */
export type AuditLine = Omit<RecordedEntry, 'about'> & { readonly about: string };

/** Of people and channels, by their IDs. */
export type SlackNames = ReadonlyMap<SlackId, string>;

/** The newest lines that fit, for when Tally may not send files. */
export function auditTextMessage(entries: readonly AuditLine[], names: SlackNames): Message {
  const shown = countFitting(entries, names);
  const count =
    shown < entries.length ? `the newest ${shown} of ${entries.length} entries` : 'the whole audit';
  return textMessage(
    `Tally can’t send files because it doesn’t have the files:write permission. Here is ${count} as text.`,
    preformatted(formatAuditCsv(entries.slice(0, shown), names)),
  );
}

function countFitting(entries: readonly AuditLine[], names: SlackNames): number {
  const head = formatAuditCsv([], names).length;
  let length = head;
  const over = entries.findIndex((entry) => {
    length += formatAuditCsv([entry], names).length - head;
    return length > SLACK_LIMITS.section;
  });
  return over === -1 ? entries.length : over;
}

const COLUMNS = ['time', 'person', 'action', 'about', 'person id', 'about ids'] as const;

/**
 * A header, then a line for each entry. Times are in UTC, and text that a spreadsheet would take for a formula is
 * disarmed. An ID without a name stays where the name would be.
 */
export const formatAuditCsv = (entries: readonly AuditLine[], names: SlackNames): string =>
  formatCsv(
    [COLUMNS, ...entries.map((entry) => csvRow(entry, names))].map((row) => row.map((text) => ({ text }))),
  );

function csvRow({ at, who, action, about }: AuditLine, names: SlackNames): readonly string[] {
  const nameOf = (id: string) => names.get(id) ?? id;
  const named = about.split(SLACK_ID_PATTERN).map((part, index) => (index % 2 === 0 ? part : nameOf(part)));
  return [new Date(at).toISOString(), nameOf(who), action, named.join(''), who, idsIn(about).join(' ')];
}

/** The people and channels that entries name. */
export const slackIdsOf = (entries: readonly AuditLine[]): readonly SlackId[] => [
  ...new Set(entries.flatMap(({ who, about }) => [...(isPerson(who) ? [who] : []), ...idsIn(about)])),
];

const idsIn = (about: string): readonly SlackId[] =>
  about.split(SLACK_ID_PATTERN).filter((_, index) => index % 2 === 1);
