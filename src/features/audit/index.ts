/** `/billing audit`, for managers: who changed what in this workspace. */
import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { isPerson } from '../../domain/slack-id.ts';
import {
  button,
  buttonRow,
  clipText,
  context,
  header,
  type Message,
  section,
} from '../../slack/block-kit/blocks.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/handlers.ts';
import type { AuditPage } from '../../workspace/record/audit.ts';
import { type AuditEntry, MAX_AUDIT_ENTRIES } from '../../workspace/record/workspace-store.ts';
import type { Feature, Services } from '../feature.ts';

const TITLE = 'Who changed what';
const ENTRIES_OF_A_PAGE = 20;
const LONGEST_ABOUT = 200;

export function createAuditFeature({ audit }: Services): Feature {
  const show = async ({ user, reply }: Request, before?: string): Promise<void> => {
    const page = await audit.page(user.teamId, ENTRIES_OF_A_PAGE, before);
    await reply.update(auditMessage(page));
  };

  return {
    help: [{ usage: commandText('/billing audit'), what: 'Show who changed what.', right: 'manage' }],
    verbs: {
      audit: {
        right: 'manage',
        isForManagers: true,
        parse: (rest) => refuseExtraWords(rest, 'audit'),
        async run(rest, request) {
          refuseExtraWords(rest, 'audit');
          await show(request);
        },
      },
    },
    actions: {
      audit: onClick('manage', {}, (before, request) => show(request, before || undefined)),
    },
  };
}

function auditMessage({ entries, older }: AuditPage): Message {
  return {
    text: `${TITLE}: ${entries.length} entries`,
    blocks: [
      header(TITLE),
      entries.length === 0 ? section('No entries.') : entryList(entries),
      ...buttonRow([older !== undefined && button('audit:older', 'Older', { value: older })]),
      context(`Tally keeps the newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries`),
    ],
  };
}

/** In rich text, markup in names has no effect. */
const entryList = (entries: readonly AuditEntry[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_list', style: 'bullet', elements: entries.map(entryLine) }],
});

function entryLine({ at, who, action, about }: AuditEntry): RichTextSection {
  const time: RichTextElement = {
    type: 'date',
    timestamp: Math.floor(at / 1000),
    format: '{date_short} {time}',
    fallback: new Date(at).toISOString(),
  };
  const person: RichTextElement = isPerson(who) ? { type: 'user', user_id: who } : text(who || 'Someone');
  const subject = namedParts(clipText(about, LONGEST_ABOUT));
  return { type: 'rich_text_section', elements: [time, text(' '), person, text(` ${action} `), ...subject] };
}

/** Slack shows the names of channels and people, or “private channel” to people who aren't in the channel. */
const namedParts = (about: string): RichTextElement[] =>
  about.split(SLACK_ID_PATTERN).flatMap((part, at): RichTextElement[] => {
    if (at % 2 === 0) return part === '' ? [] : [text(part, true)];
    return isPerson(part) ? [{ type: 'user', user_id: part }] : [{ type: 'channel', channel_id: part }];
  });

const text = (words: string, bold = false): RichTextElement => ({
  type: 'text',
  text: words,
  ...(bold && { style: { bold } }),
});

/** Matches the ID of a channel or user, unless it is in markup or cut off with “…”. */
const SLACK_ID_PATTERN = /(?<![\w@#-])(?=[A-Z]*\d)([CGUW][A-Z0-9]{8,30})(?![\w…-])/;
