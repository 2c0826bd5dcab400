/** `/billing audit`, for managers: who changed what in this workspace. */
import { commandText } from '../../domain/command-names.ts';
import { isPerson } from '../../domain/slack-id.ts';
import {
  type Block,
  button,
  buttonRow,
  channelLink,
  clipText,
  context,
  escapeMarkup,
  header,
  instantMarkup,
  type Message,
  markup,
  mention,
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
      ...(entries.length === 0 ? [section('No entries.')] : entries.map(entryBlock)),
      ...buttonRow([older !== undefined && button('audit:older', 'Older', { value: older })]),
      context(`Tally keeps the newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries`),
    ],
  };
}

const entryBlock = ({ at, who, action, about }: AuditEntry): Block => {
  const person = isPerson(who) ? mention(who) : escapeMarkup(who || 'Someone');
  return markup(
    `${instantMarkup(at)} · ${person} ${escapeMarkup(action)} *${named(clipText(about, LONGEST_ABOUT))}*`,
  );
};

/** Slack shows the names of channels and people, or “private channel” to people who aren't in the channel. */
const named = (about: string): string =>
  about
    .split(SLACK_ID_PATTERN)
    .map((part, at) =>
      at % 2 === 0 ? escapeMarkup(part) : isPerson(part) ? mention(part) : channelLink(part),
    )
    .join('');

/** Matches the ID of a channel or user, unless it is in markup or cut off with “…”. */
const SLACK_ID_PATTERN = /(?<![\w@#-])(?=[A-Z]*\d)([CGUW][A-Z0-9]{8,30})(?![\w…-])/;
