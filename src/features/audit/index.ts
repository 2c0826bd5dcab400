import { SlackFailed } from '../../domain/failure.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Audit } from '../../workspace/audit.ts';
import { KEPT } from '../../workspace/store.ts';
import type { Feature } from '../feature.ts';
import { asTextMessage, auditMessage, sentMessage } from './blocks.ts';
import { auditCsv } from './words.ts';

const A_PAGE = 20;
const CSV = /^\s*csv\s*$/i;

/** `/billing audit`: who changed what in this workspace, for those who manage it. */
export function createAuditTrail({ audit }: { readonly audit: Audit }): Feature {
  const show = async (visit: Visit, before?: string): Promise<void> => {
    const page = await audit.page(visit.asker.workspace, A_PAGE, before);
    await visit.answer(auditMessage(page, before === undefined));
  };

  const sendCsv = async (visit: Visit): Promise<void> => {
    const entries = await audit.list(visit.asker.workspace, KEPT);
    const day = new Date(visit.at).toISOString().slice(0, 10);
    try {
      await visit.sendFile({
        name: `tally-audit-${day}.csv`,
        title: `Audit until ${day}`,
        content: auditCsv(entries),
      });
    } catch (error) {
      if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
      return visit.whisper(asTextMessage(entries));
    }
    await visit.whisper(sentMessage());
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
