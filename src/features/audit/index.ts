import { commandText } from '../../domain/command-names.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import type { Feature, Services } from '../feature.ts';
import { auditMessage } from './blocks.ts';
import { createSubjectTexts, type ItemTexts } from './subjects.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing audit': true;
  }
  interface Actions {
    audit: true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** What the audit says of a schedule or a watch that it has kept as JSON; undefined if that can't be read. */
    readonly auditTexts?: ItemTexts;
  }
}

const A_PAGE = 20;

/** `/billing audit`: who changed what in this workspace, for managers. */
export function createAuditFeature({ audit, all }: Services): Feature {
  const show = async (request: Request, before?: string): Promise<void> => {
    const page = await audit.page(request.user.teamId, A_PAGE, before);
    const { user, workspace } = request;
    const zone = user.zone ?? workspace.settings.zone;
    const textOf = createSubjectTexts(all.auditTexts(), workspace);
    await request.reply.update(auditMessage(page, before === undefined, zone, textOf));
  };

  return {
    help: [
      {
        usage: commandText('/billing audit'),
        what: 'Show who changed what, without secrets.',
        right: 'manage',
      },
    ],
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
