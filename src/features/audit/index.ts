import { commandText } from '../../domain/commands.ts';
import { SlackFailed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import { type Audit, MAX_AUDIT_ENTRIES } from '../../workspace/record/audit.ts';
import type { Feature } from '../feature.ts';
import { auditMessage, auditSentMessage, auditTextMessage, formatAuditCsv } from './blocks.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing audit': true;
  }
  interface Actions {
    audit: true;
    'audit-csv': true;
  }
}

const A_PAGE = 20;
const CSV = 'csv';

/** `/billing audit`: who changed what in this workspace, for managers. */
export function createAuditFeature({ audit }: { readonly audit: Audit }): Feature {
  const show = async (request: Request, before?: string): Promise<void> => {
    const page = await audit.page(request.user.teamId, A_PAGE, before);
    await request.reply.update(
      auditMessage(page, before === undefined, request.user.zone ?? request.workspace.settings.zone),
    );
  };

  const sendCsv = async (request: Request): Promise<void> => {
    const entries = await audit.list(request.user.teamId, MAX_AUDIT_ENTRIES);
    const day = new Date(request.at).toISOString().slice(0, 10);
    try {
      await request.reply.file({
        name: `tally-audit-${day}.csv`,
        title: `Audit until ${day}`,
        content: formatAuditCsv(entries),
        about: `${pluralize(entries.length, 'change')} in this workspace until ${day}, newest first.`,
      });
    } catch (error) {
      if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
      return request.reply.private(auditTextMessage(entries));
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
        read: (rest) => refuseExtraWords(rest, 'audit', [CSV]),
        async run(rest, request) {
          refuseExtraWords(rest, 'audit', [CSV]);
          return rest === CSV ? sendCsv(request) : show(request);
        },
      },
    },
    actions: {
      audit: { right: 'manage', run: ({ value }, request) => show(request, value || undefined) },
      'audit-csv': { right: 'manage', run: (_, request) => sendCsv(request) },
    },
  };
}
