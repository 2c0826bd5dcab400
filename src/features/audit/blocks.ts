import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import { formatCsv } from '../../domain/csv.ts';
import {
  button,
  buttonRow,
  context,
  header,
  type Message,
  preformatted,
  section,
  textMessage,
} from '../../slack/kit/atoms.ts';
import { clipText, SLACK_LIMITS } from '../../slack/kit/limits.ts';
import { type AuditPage, MAX_AUDIT_ENTRIES, type RecordedEntry } from '../../workspace/record/audit.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';

const TITLE = 'Who did what';
const LONGEST_ABOUT = 200;

/** @param first whether these are the newest entries there are */
export function auditMessage({ entries, older }: AuditPage, first: boolean): Message {
  const buttons = [
    ...(older === undefined ? [] : [button('audit:older', 'Older', { value: older })]),
    ...(first ? [] : [button('audit:newest', 'Newest')]),
    ...(entries.length === 0 ? [] : [button('audit-csv', 'CSV')]),
  ];
  return {
    text: `${TITLE}: ${entries.length} entries`,
    blocks: [
      header(TITLE),
      entries.length === 0 ? section(first ? NOTHING_YET : NOTHING_OLDER) : listOf(entries),
      ...buttonRow(buttons),
      context(
        `Times are in your time zone · Tally keeps the newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries`,
      ),
    ],
  };
}

const NOTHING_YET = 'No entries yet.';
const NOTHING_OLDER = 'No older entries.';

const listOf = (entries: readonly RecordedEntry[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_list', style: 'bullet', elements: entries.map(line) }],
});

/** Rich text throughout: what people called their things has no power here. */
function line({ at, who, action, about }: RecordedEntry): RichTextSection {
  const elements: RichTextElement[] = [
    {
      type: 'date',
      timestamp: Math.floor(at / 1000),
      format: '{date_short_pretty} {time}',
      fallback: `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    },
    text(' · '),
    isPerson(who) ? { type: 'user', user_id: who } : text(who || 'unknown'),
    text(' · '),
    { ...text(action || 'unknown'), style: { bold: true } },
    ...(about === '' ? [] : [text(' · '), ...subject(clipText(about, LONGEST_ABOUT))]),
  ];
  return { type: 'rich_text_section', elements };
}

/** IDs of channels and people, as words of their own, not in markup that somebody typed. A cut one ends in “…”. */
const SLACK_IDS = /(?<![\w@#-])(?=[A-Z]*\d)([CGUW][A-Z0-9]{8,30})(?![\w…-])/;

/** Channels and people are recorded by their IDs. Slack shows their names, and “private channel” to those outside. */
const subject = (about: string): RichTextElement[] =>
  about.split(SLACK_IDS).flatMap((part, at): RichTextElement[] => {
    if (at % 2 === 0) return part === '' ? [] : [text(part)];
    return isPerson(part) ? [{ type: 'user', user_id: part }] : [{ type: 'channel', channel_id: part }];
  });

const text = (words: string) => ({ type: 'text', text: words }) as const;

export const auditSentMessage = textMessage('Tally sent you the file as a direct message.');

/** The newest lines that fit, for when Tally may not send files. */
export function auditTextMessage(entries: readonly RecordedEntry[]): Message {
  const shown = fitting(entries);
  const count =
    shown < entries.length ? `the newest ${shown} of ${entries.length} entries` : 'the whole audit';
  return textMessage(
    `Tally can’t send files because it doesn’t have the files:write permission. Here is ${count} as text.`,
    preformatted(formatAuditCsv(entries.slice(0, shown))),
  );
}

function fitting(entries: readonly RecordedEntry[]): number {
  let length = formatAuditCsv([]).length;
  const over = entries.findIndex((entry) => {
    length += formatAuditCsv([entry]).length - formatAuditCsv([]).length;
    return length > SLACK_LIMITS.section;
  });
  return over === -1 ? entries.length : over;
}

const COLUMNS = ['time', 'person', 'action', 'about'] as const;

/** A line an entry after one with the names of the columns: times in UTC, a formula's power taken away. */
export const formatAuditCsv = (entries: readonly RecordedEntry[]): string =>
  formatCsv(
    [
      COLUMNS,
      ...entries.map(({ at, who, action, about }) => [new Date(at).toISOString(), who, action, about]),
    ].map((row) => row.map((text) => ({ text }))),
  );
