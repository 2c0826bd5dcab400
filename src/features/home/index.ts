import { commandText } from '../../domain/command-names.ts';
import { isFailure, missedAnswer } from '../../domain/failure/index.ts';
import { parseAccount } from '../../domain/money/runway.ts';
import { computeReportFigures, reportPeriodsOf } from '../../domain/report.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import { type Block, withoutActions } from '../../slack/block-kit/blocks.ts';
import type { Reply } from '../../slack/reply/reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { openConnection } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { Feature, Services } from '../feature.ts';
import { loadHealth } from './health.ts';
import { homeBlocks, homeRows, MOST_PROJECTS, REFRESH } from './page.ts';
import { createStatusCommand } from './status.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing status': true;
  }
  interface Actions {
    'home-refresh': true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** How what it sets up is, for Home and `/billing status`. */
    readonly health?: HealthSource;
  }
}

/** How old a balance must be to be asked for again, in ms. */
const FRESH = MINUTE;

/** The app's Home and `/billing status`: what works and what doesn't, in short and whole. */
export function createHomeFeature(services: Services): Feature {
  const { all, log, clock } = services;

  /** Errors only go to the log, because the Home is not an answer to a question. */
  const publish = (reply: Reply, blocks: readonly Block[]): Promise<void> =>
    reply
      .home(blocks)
      .catch((err: unknown) => log.warn({ err, workspace: reply.source.teamId }, 'Could not draw a Home'));

  return {
    help: [
      {
        usage: commandText('/billing status'),
        what: 'Show what needs attention first: projects, connections, expiring tokens, schedules and watches.',
      },
      {
        usage: 'Home',
        what: 'See what needs attention and your projects with their balances: the first tab of this app.',
      },
    ],
    verbs: { status: createStatusCommand(services) },
    actions: {
      [REFRESH]: onClick('ask', {}, async (_, request) => {
        // What `/balance` has stored may be new, but has no forecast.
        const old = homeRows(request)
          .slice(0, MOST_PROJECTS)
          .filter(({ last }) => last?.forecast === undefined || clock() - last.at >= FRESH);
        await Promise.all(old.map(({ project }) => refreshBalance(services, project, request)));
      }),
    },
    events: {
      app_home_opened: {
        right: 'ask',
        wants: ({ tab }) => tab === 'home',
        async answer(_, asked) {
          // Home is in no channel, so it shows no project that is limited to channels.
          const request = { ...asked, channel: undefined };
          await publish(request.reply, homeBlocks(request, await loadHealth(all.health(), request)));
        },
        // For a person who cannot use Tally, or whose role is unknown.
        onError: ({ blocks }, reply) => publish(reply, withoutActions(blocks)),
      },
    },
  };
}

/** Asks for one balance, how long it lasts and what the month will cost, and stores that. A project that fails keeps the balance it had, with its date. */
async function refreshBalance(
  { billing, answerStore, log, clock }: Services,
  { alias, id: project, product, connection }: Project,
  { workspace }: Request,
): Promise<void> {
  try {
    const access = openConnection(workspace, { alias, connection, label: alias });
    const periods = reportPeriodsOf('yesterday', clock(), requireSettings(workspace).zone);
    const { from, to, zone, requested: days, today } = periods;
    const target = { alias, project, product };
    const [left, spent] = await Promise.all([
      billing.balance(access, target),
      billing.consumption(access, target, { from, to, zone, days }).catch(missedAnswer),
    ]);
    const account = parseAccount(left);
    const figures = 'why' in spent ? undefined : computeReportFigures(spent.charges, periods, account);
    const { runway, forecast } = figures ?? {};
    const balance = storedBalance(target, { ...account, runway, forecast, today });
    await answerStore.save(workspace, {
      ...{ connection: access.connection, at: clock() },
      ...(balance && { balance }),
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    log.debug({ failure: error.kind }, 'Could not refresh a balance on Home');
  }
}
