/** Home, and `/billing status`, which shows the same problems in full. */

import { missedAnswer } from '../../billing/client.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { parseAccount } from '../../domain/money/balance-and-runway.ts';
import { computeReportFigures, reportPeriodsOf } from '../../domain/report.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  actions,
  type Block,
  compact,
  context,
  header,
  instantMarkup,
  type Message,
  markup,
  withoutActions,
} from '../../slack/block-kit/blocks.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Reply } from '../../slack/reply/reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { type CommandHandler, onClick } from '../../slack/server/handlers.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { openConnection } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/save-service-outcomes.ts';
import type { Feature, HealthLine, HealthSection, Services } from '../feature.ts';
import { homeBlocks, homeRows, MAX_HOME_PROJECTS, REFRESH } from './home-view.ts';
import { isProblem, loadHealth } from './workspace-health.ts';

export function createHomeFeature(services: Services): Feature {
  const { registry, log, clock } = services;

  /** Errors are only logged, because a person who opens Home asks nothing. */
  const publish = (reply: Reply, blocks: readonly Block[]): Promise<void> =>
    reply
      .home(blocks)
      .catch((err: unknown) => log.warn({ err, workspace: reply.source.teamId }, 'Could not draw a Home'));

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
        // A balance that `/balance` stored has no forecast.
        const old = homeRows(request)
          .slice(0, MAX_HOME_PROJECTS)
          .filter(({ last }) => last?.forecast === undefined || clock() - last.at >= MINUTE);
        await Promise.all(old.map(({ project }) => refreshBalance(services, project, request)));
      }),
    },
    events: {
      app_home_opened: {
        right: 'ask',
        wants: ({ tab }) => tab === 'home',
        async answer(_, asked) {
          // Home is in no channel, so it shows no projects that are limited to channels.
          const request = { ...asked, channel: undefined };
          await publish(request.reply, homeBlocks(request, await loadHealth(registry.health(), request)));
        },
        // Home for a person who can't use Tally, or whose role is unknown.
        onError: ({ blocks }, reply) => publish(reply, withoutActions(blocks)),
      },
    },
  };
}

/** Fetches and stores a project's balance, runway and forecast. After a failure, the stored ones stay. */
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
      connection: access.connection,
      at: clock(),
      ...(balance && { balance }),
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    log.debug({ failure: error.kind }, 'Could not refresh a balance on Home');
  }
}

/** `/billing status`. A connection's menu sends `/billing status default main`. */
function createStatusCommand({ workspaces, registry }: Services): CommandHandler {
  const show = async (request: Request): Promise<void> => {
    const sections = await loadHealth(registry.health(), request);
    await request.reply.update(statusPage(sections, request));
  };

  const makeDefault = async (name: string, request: Request): Promise<void> => {
    const { workspace, user } = request;
    if (!workspace.connectionNames.includes(name))
      throw new Failure('connection-missing', { connection: name });
    if (workspace.defaultConnection !== name) {
      const change = auditedChange(request, ['changed the default connection to', name]);
      await workspaces.chooseDefault(change, name);
    }
    await show({ ...request, workspace: await workspaces.load(user.teamId) });
  };

  const chosenDefault = (text: string) => /^default (\S+)$/.exec(text)?.[1];
  return {
    right: 'ask',
    needs: (text) => (chosenDefault(text) === undefined ? {} : { right: 'manage', changes: true }),
    parse: (text) => (chosenDefault(text) === undefined ? refuseExtraWords(text, 'status') : undefined),
    async run(text, request) {
      const name = chosenDefault(text);
      if (name !== undefined) return makeDefault(name, request);
      refuseExtraWords(text, 'status');
      await show(request);
    },
  };
}

const MOST_BLOCKS = 50;

function statusPage(sections: readonly HealthSection[], { workspace }: Request): Message {
  const problems = sections.flatMap(({ lines }) => lines).filter(isProblem).length;
  const title = problems === 0 ? 'No problems' : pluralize(problems, 'problem');
  const room = MOST_BLOCKS - 2;
  const blocks = sections.flatMap(drawSection);
  const used = workspace.connectionNames.flatMap((name) => workspace.lastUsed(name) ?? []);
  const end = compact([
    blocks.length > room && 'Not everything fits. The worst comes first',
    used.length > 0 && `Last answer from billing: ${instantMarkup(Math.max(...used))}`,
  ]).join(' · ');
  return {
    text: title,
    blocks: compact([header(title), ...blocks.slice(0, room), end !== '' && context(end)]),
  };
}

function drawSection({ title, summary, lines, maxLines = lines.length, more }: HealthSection): Block[] {
  if (lines.length === 0) return [];
  return compact([
    title !== '' && summary === undefined && header(title),
    summary !== undefined && markup(`*${title}* · ${summary}`),
    ...lines.slice(0, maxLines).flatMap(drawLine),
    more && actions(more),
  ]);
}

/** A button or a menu goes beside the line; both together go below it, because Slack allows only one beside it. */
function drawLine({ text: [what = '', how, ...rest], fix, menu }: HealthLine): Block[] {
  const line = markup([how === undefined ? what : `${what} · ${how}`, ...rest].join('\n'));
  if (fix !== undefined && menu !== undefined) return [line, actions(fix, menu)];
  const accessory = fix ?? menu;
  return [{ ...line, ...(accessory && { accessory }) }];
}
