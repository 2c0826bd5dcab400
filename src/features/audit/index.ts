import { SlackFailed } from '../../domain/failure/index.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Audit } from '../../workspace/audit.ts';
import { MAX_AUDIT_ENTRIES } from '../../workspace/workspace-store.ts';
import type { Feature } from '../feature.ts';
import { auditMessage, auditSentMessage, auditTextMessage } from './blocks.ts';
import { formatAuditCsv } from './words.ts';

const A_PAGE = 20;
const CSV = /^\s*csv\s*$/i;

/** `/billing audit`: who changed what in this workspace, for those who manage it. */
export function createAuditTrail({ audit }: { readonly audit: Audit }): Feature {
  const show = async (visit: Visit, before?: string): Promise<void> => {
    const page = await audit.page(visit.asker.workspace, A_PAGE, before);
    await visit.answer(auditMessage(page, before === undefined));
  };

  const sendCsv = async (visit: Visit): Promise<void> => {
    const entries = await audit.list(visit.asker.workspace, MAX_AUDIT_ENTRIES);
    const day = new Date(visit.at).toISOString().slice(0, 10);
    try {
      await visit.sendFile({
        name: `tally-audit-${day}.csv`,
        title: `Audit until ${day}`,
        content: formatAuditCsv(entries),
      });
    } catch (error) {
      if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
      return visit.whisper(auditTextMessage(entries));
    }
    await visit.whisper(auditSentMessage());
  };

  return {
    help: [
      {
        usage: '/billing audit [csv]',
        what: 'Who registered, changed or removed what, without secrets; also as CSV (who manages Tally here).',
      },
    ],
    verbs: {
      audit: { right: 'manage', run: (rest, visit) => (CSV.test(rest) ? sendCsv(visit) : show(visit)) },
    },
    actions: {
      audit: { right: 'manage', run: ({ value }, visit) => show(visit, value || undefined) },
      'audit-csv': { right: 'manage', run: (_, visit) => sendCsv(visit) },
    },
  };
}
