/** Tally's Home tab, and its **Refresh** button. */
import { missedAnswer } from '../../billing/client.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { parseAccount } from '../../domain/money/balance-and-runway.ts';
import { computeReportFigures, reportPeriodsOf } from '../../domain/report.ts';
import { HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { type Block, withoutActions } from '../../slack/block-kit/blocks.ts';
import type { Reply } from '../../slack/reply/reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/handlers.ts';
import { projectValue } from '../../workspace/projects/chosen-project.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { openConnection } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/save-service-outcomes.ts';
import type { Feature, Services } from '../feature.ts';
import { homeBlocks, homeRows, MAX_HOME_PROJECTS, REFRESH } from './home-view.ts';
import { createStatusCommand } from './status-command.ts';
import { loadHealth } from './workspace-health.ts';

export function createHomeFeature(services: Services): Feature {
  const { registry, dedup, log, clock, workspaces } = services;

  /** An error is only logged, and Home keeps what it showed before. */
  const publish = (reply: Reply, blocks: readonly Block[]): Promise<void> =>
    reply
      .home(blocks)
      .catch((err: unknown) => log.warn({ err, workspace: reply.source.teamId }, 'Could not draw a Home'));

  const show = async (request: Request): Promise<void> =>
    publish(request.reply, homeBlocks(request, await loadHealth(registry.health(), request)));

  /** Asks billing about shown projects whose figures are incomplete or at least `age` old. @returns whether it asked */
  async function refresh(request: Request, age: Millis): Promise<boolean> {
    const rows = tryParse(() => homeRows(request), Failure) ?? [];
    const old = rows
      .slice(0, MAX_HOME_PROJECTS)
      .filter(({ last }) => !(last?.forecast || last?.isIdle) || clock() - last.at >= age);
    const asked = await Promise.all(
      old.map(async ({ project }) => {
        // However many people open Home, Tally asks about a project at most once a minute.
        const look = `home ${projectValue(project)} ${Math.floor(clock() / MINUTE)}`;
        const isDue = await dedup.first(request.user.teamId, look, MINUTE);
        if (isDue) await refreshBalance(services, project, request);
        return isDue;
      }),
    );
    return asked.includes(true);
  }

  return {
    help: [
      {
        usage: commandText('/billing status'),
        what: 'Show what needs attention: projects, connections, tokens, schedules and watches.',
      },
      {
        usage: 'Home',
        what: 'See what needs attention, and your projects’ balances: the first tab of this app.',
      },
    ],
    verbs: { status: createStatusCommand(services) },
    actions: {
      [REFRESH]: onClick('ask', {}, async (_, request) => {
        await refresh(request, MINUTE);
      }),
    },
    events: {
      app_home_opened: {
        right: 'ask',
        wants: ({ tab }) => tab === 'home',
        async answer(_, asked) {
          // Home isn't in any channel, so it shows no projects that are limited to channels.
          const request = { ...asked, channel: undefined };
          await show(request);
          if (await refresh(request, HOUR))
            await show({ ...request, workspace: await workspaces.load(request.user.teamId) });
        },
        // A person who can't use Tally reads the reason on Home.
        onError: ({ blocks }, reply) => publish(reply, withoutActions(blocks)),
      },
    },
  };
}

/** Fetches and stores a project's balance, runway and forecast. If billing fails, the stored figures stay. */
async function refreshBalance(
  { billing, outcomeStore, log, clock }: Services,
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
    await outcomeStore.save(workspace, {
      connection: access.connection,
      at: clock(),
      ...(balance && { balance }),
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    log.debug({ failure: error.kind }, 'Could not refresh a balance on Home');
  }
}
