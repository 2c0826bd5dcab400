import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import { dayAt, formatDays, type Zone } from '../../domain/time/calendar.ts';
import {
  button,
  buttonRow,
  clipText,
  compact,
  context,
  header,
  type Message,
  section,
} from '../../slack/kit/blocks.ts';
import {
  type AuditAction,
  type AuditPage,
  MAX_AUDIT_ENTRIES,
  type RecordedEntry,
} from '../../workspace/record/audit.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import type { SubjectTexts } from './subjects.ts';

const TITLE = 'Who changed what';
const LONGEST_ABOUT = 200;

/** @param first whether these are the newest entries there are @param zone of the reader, for the days */
export function auditMessage(
  { entries, older }: AuditPage,
  first: boolean,
  zone: Zone,
  textOf: SubjectTexts,
): Message {
  const buttons = compact([
    older !== undefined && button('audit:older', 'Older', { value: older }),
    !first && button('audit:newest', 'Newest'),
  ]);
  return {
    text: `${TITLE}: ${entries.length} entries`,
    blocks: [
      header(TITLE),
      entries.length === 0 ? section(first ? NOTHING_YET : NOTHING_OLDER) : listOf(entries, zone, textOf),
      ...buttonRow(buttons),
      context(
        `Times are in your time zone · Tally keeps the newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries`,
      ),
    ],
  };
}

const NOTHING_YET = 'No entries yet.';
const NOTHING_OLDER = 'No older entries.';

function listOf(entries: readonly RecordedEntry[], zone: Zone, textOf: SubjectTexts): RichTextBlock {
  const days = new Map<string, RecordedEntry[]>();
  for (const entry of entries) {
    const day = dayAt(entry.at, zone);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return {
    type: 'rich_text',
    elements: [...days].flatMap(([day, ofDay]): RichTextBlock['elements'] => [
      {
        type: 'rich_text_section',
        elements: [{ ...text(formatDays(day, day)), style: { bold: true } }],
      },
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: ofDay.map((entry) => entryLine(entry, textOf(entry))),
      },
    ]),
  };
}

/** Rich text, in which the names that people chose can't act as mark-up. */
function entryLine({ at, who, action }: RecordedEntry, about: string): RichTextSection {
  const time: RichTextElement = {
    type: 'date',
    timestamp: Math.floor(at / 1000),
    format: '{time}',
    fallback: `${new Date(at).toISOString().slice(11, 16)} UTC`,
  };
  const person: RichTextElement = isPerson(who) ? { type: 'user', user_id: who } : text(who || 'Someone');
  const [verb, preposition = ''] = Object.hasOwn(PHRASES, action)
    ? PHRASES[action as AuditAction]
    : [action || 'did something'];
  const shown = clipText(about, LONGEST_ABOUT);
  return {
    type: 'rich_text_section',
    elements: [
      ...[time, text(' '), person, text(` ${verb}`)],
      ...(shown === '' ? [] : [text(`${preposition} `), ...subjectOf(shown)]),
    ],
  };
}

/** What a person did, and the words between that and what it was done to. */
const PHRASES: Record<AuditAction, readonly [verb: string, preposition?: string]> = {
  'connection registered': ['added the connection'],
  'connection replaced': ['replaced the token', ' of the connection'],
  'connection removed': ['removed the connection'],
  'default connection changed': ['changed the default connection', ' to'],
  'project added': ['added the project'],
  'project changed': ['changed the project'],
  'project renamed': ['renamed the project'],
  'project removed': ['removed the project'],
  'project restored': ['restored the project'],
  'channel default changed': ['changed the default project', ' of'],
  'settings changed': ['changed the settings', ':'],
  'application access registered': ['registered the application access', ' of'],
  'application access replaced': ['replaced the application access', ' of'],
  'application access removed': ['removed the application access', ' of'],
  'token issuers changed': ['changed who can get OS_TOKENs', ' for'],
  'expiry changed': ['changed the expiry', ' of'],
  'token issued': ['got an OS_TOKEN', ' for'],
  'token revoked': ['revoked an OS_TOKEN', ' of'],
  'schedule created': ['scheduled a post', ':'],
  'schedule changed': ['changed a scheduled post', ':'],
  'schedule paused': ['paused a scheduled post', ':'],
  'schedule resumed': ['resumed a scheduled post', ':'],
  'schedule removed': ['deleted a scheduled post', ':'],
  'schedule restored': ['restored a scheduled post', ':'],
  'watch created': ['set up a watch', ':'],
  'watch changed': ['changed a watch', ':'],
  'watch paused': ['paused a watch', ':'],
  'watch resumed': ['resumed a watch', ':'],
  'watch snoozed': ['snoozed a watch', ':'],
  'watch acknowledged': ['acknowledged an alert', ':'],
  'watch removed': ['deleted a watch', ':'],
  'watch restored': ['restored a watch', ':'],
  'app installed': ['installed Tally'],
};

/** Channels and people are recorded by their IDs. Slack shows their names, and “private channel” to those outside. */
const subjectOf = (about: string): RichTextElement[] =>
  about.split(SLACK_ID_PATTERN).flatMap((part, at): RichTextElement[] => {
    if (at % 2 === 0) return part === '' ? [] : [{ ...text(part), style: { bold: true } }];
    return isPerson(part) ? [{ type: 'user', user_id: part }] : [{ type: 'channel', channel_id: part }];
  });

const text = (words: string) => ({ type: 'text', text: words }) as const;

/** IDs of channels and people, as words of their own, not in markup that somebody typed. A cut one ends in “…”. */
const SLACK_ID_PATTERN = /(?<![\w@#-])(?=[A-Z]*\d)([CGUW][A-Z0-9]{8,30})(?![\w…-])/;
