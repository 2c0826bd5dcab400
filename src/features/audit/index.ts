import pLimit from 'p-limit';
import { commandText } from '../../domain/command-names.ts';
import { isFailure, SlackFailed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { MAX_AUDIT_ENTRIES } from '../../workspace/record/audit.ts';
import type { Feature, Services } from '../feature.ts';
import {
  auditMessage,
  auditSentMessage,
  auditTextMessage,
  formatAuditCsv,
  type SlackNames,
  slackIdsOf,
} from './blocks.ts';
import { createSubjectTexts, type ItemTexts } from './subjects.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing audit': true;
  }
  interface Actions {
    audit: true;
    'audit-csv': true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** What the audit says of a schedule or a watch that it has kept as JSON; undefined if that can't be read. */
    readonly auditTexts?: ItemTexts;
  }
}

const A_PAGE = 20;
const CSV = 'csv';

/** `/billing audit`: who changed what in this workspace, for managers. */
export function createAuditFeature({ audit, all }: Services): Feature {
  const show = async (request: Request, before?: string): Promise<void> => {
    const page = await audit.page(request.user.teamId, A_PAGE, before);
    const zone = request.user.zone ?? request.workspace.settings.zone;
    await request.reply.update(auditMessage(page, before === undefined, zone, subjectTexts(request)));
  };

  const subjectTexts = ({ workspace }: Request) => createSubjectTexts(all.auditTexts(), workspace);

  const sendCsv = async (request: Request): Promise<void> => {
    const textOf = subjectTexts(request);
    const entries = (await audit.list(request.user.teamId, MAX_AUDIT_ENTRIES)).map((entry) => ({
      ...entry,
      about: textOf(entry).whole,
    }));
    const names = await findNames(slackIdsOf(entries).slice(0, MOST_NAMED), request.slack);
    const day = new Date(request.at).toISOString().slice(0, 10);
    try {
      await request.reply.file({
        name: `tally-audit-${day}.csv`,
        title: `Audit until ${day}`,
        content: formatAuditCsv(entries, names),
        about: `${pluralize(entries.length, 'change')} in this workspace until ${day}, newest first.`,
      });
    } catch (error) {
      if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
      return request.reply.private(auditTextMessage(entries, names));
    }
    await request.reply.private(auditSentMessage);
  };

  return {
    help: [
      {
        usage: `${commandText('/billing audit')} [csv]`,
        what: 'Show who changed what, without secrets; also as CSV.',
        right: 'manage',
      },
    ],
    verbs: {
      audit: {
        right: 'manage',
        isForManagers: true,
        parse: (rest) => refuseExtraWords(rest, 'audit', [CSV]),
        kind: 'answer',
        async run(rest, request) {
          refuseExtraWords(rest, 'audit', [CSV]);
          return rest === CSV ? sendCsv(request) : show(request);
        },
      },
    },
    actions: {
      audit: onClick('manage', 'answer', (before, request) => show(request, before || undefined)),
      'audit-csv': onClick('manage', 'answer', (_, request) => sendCsv(request)),
    },
  };
}

/** How many people and channels Slack is asked about for a file, and how many at the same time. */
const MOST_NAMED = 100;
const AT_ONCE = 5;

/** What Slack calls them. After the first failure, such as a rate limit, Slack isn't asked about the others. */
async function findNames(
  ids: readonly SlackId[],
  slack: Pick<Request['slack'], 'nameOf'>,
): Promise<SlackNames> {
  const limit = pLimit(AT_ONCE);
  const names = new Map<SlackId, string>();
  let isRefused = false;
  const find = async (id: SlackId): Promise<void> => {
    if (isRefused) return;
    try {
      const name = await slack.nameOf(id);
      if (name !== undefined) names.set(id, name);
    } catch (error) {
      if (!isFailure(error)) throw error;
      isRefused = true;
    }
  };
  await Promise.all(ids.map((id) => limit(find, id)));
  return names;
}
