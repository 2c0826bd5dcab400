import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import {
  type Block,
  context,
  formatInstant,
  header,
  instant,
  type Message,
  section,
} from '../../slack/kit/blocks.ts';
import { DAMAGED_DATA, failureFacts } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import type { OpenableConnection } from '../../workspace/credentials/connection-record.ts';
import { worstFirst } from '../../workspace/credentials/health.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findConnection, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services, StatusPart, StatusSource } from '../feature.ts';
import { connectionParts, type TestResult } from './connections.ts';
import { accessParts, projectParts } from './projects.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing status': true;
  }
  interface Actions {
    'connection-test': true;
    'connection-default': true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** Its part of `/billing status`. */
    readonly status?: StatusSource;
  }
}

/** `/billing status`: the connections, how long their tokens last, whether they work; for managers what to do about it. */
export function createStatusFeature({ workspaces, billing, limits, answerStore, all }: Services): Feature {
  const draw = async (asked: Request, workspace: Workspace, tested?: TestResult): Promise<void> => {
    const { user, at } = asked;
    const request = { ...asked, workspace };
    const drawn = all.status().map((source) => drawUnlessDamaged(source, request));
    const others = (await Promise.all(drawn)).flat();
    const own = [
      ...connectionParts(request, tested),
      ...projectParts(request),
      ...(user.canManage ? accessParts(workspace, at) : []),
    ];
    await request.reply.update(statusPage([...own, ...others], workspace, at));
  };

  /** Asks for a balance to check that the token can be decrypted, is accepted, and that its project has data. */
  const test = async (connection: OpenableConnection, request: Request): Promise<readonly Block[]> => {
    const { user, workspace, at } = request;
    if (connection.test === undefined) return [];
    try {
      limits.demand('tests', { teamId: user.teamId, userId: user.id });
      const { teamId } = user;
      const { name, baseUrl } = connection;
      const { waits } = workspace;
      const access = { workspace: teamId, connection: name, baseUrl, token: connection.token(), waits };
      await billing.balance(access, connection.test);
      await answerStore.save(workspace, { connection: connection.name, at });
      const passed = `The test passed: the token works, and project ${connection.test.project} has data.`;
      return [section(passed)];
    } catch (error) {
      if (isFailure(error, 'no-data')) {
        const { project, product } = connection.test;
        return [
          section(`The token works, but there is no ${PRODUCTS[product].name} data for project ${project}.`),
        ];
      }
      if (!isFailure(error)) throw error;
      return failureFacts(error, request);
    }
  };

  const showTest = async (name: string, request: Request): Promise<void> => {
    const connection = findConnection(request.workspace, name);
    if (connection === undefined) throw new Failure('connection-missing', { connection: name });
    await draw(request, request.workspace, { name, says: await test(connection, request) });
  };

  const makeDefault = async (name: string, request: Request): Promise<void> => {
    if (!request.workspace.connectionNames.includes(name))
      throw new Failure('connection-missing', { connection: name });
    await workspaces.chooseDefault(
      auditedChange(request, ['default connection changed', { kind: 'connection', name }]),
      name,
    );
    await draw(request, await workspaces.load(request.user.teamId));
  };

  return {
    help: [
      {
        usage: commandText('/billing status'),
        what: 'Show what needs attention first: projects, connections, expiring tokens, schedules and watches.',
      },
    ],
    verbs: {
      status: {
        right: 'ask',
        kind: 'answer',
        parse: (rest) => refuseExtraWords(rest, 'status'),
        async run(rest, request) {
          refuseExtraWords(rest, 'status');
          await draw(request, request.workspace);
        },
      },
    },
    actions: {
      'connection-test': onClick('manage', 'answer', showTest),
      'connection-default': onClick('manage', 'change', makeDefault),
    },
  };
}

/** One feature's part; a damaged record only leaves out this part. */
async function drawUnlessDamaged(source: StatusSource, request: Request): Promise<readonly StatusPart[]> {
  try {
    return await source(request);
  } catch (error) {
    if (isFailure(error, 'unseal-failed') || isFailure(error, 'settings-damaged'))
      return [{ health: 'broken', problems: 1, blocks: [DAMAGED_DATA] }];
    throw error;
  }
}

const MOST_BLOCKS = 50;

/** The whole page: how many problems there are, then the parts, the worst first. @param at ms since the epoch */
function statusPage(parts: readonly StatusPart[], workspace: Workspace, at: Millis): Message {
  const problems = parts.reduce((sum, part) => sum + part.problems, 0);
  const title = problems === 0 ? 'Tally works' : `${pluralize(problems, 'problem')} to look at`;
  const blocks = worstFirst(parts).flatMap((part) => part.blocks);
  const shown = blocks.slice(0, MOST_BLOCKS - 2);
  const cut = shown.length < blocks.length ? ['Not everything fits here; what works is left out first'] : [];
  const end = context([...cut, ...lastAnswer(workspace), `As of ${instant(at)}`].join(' · '));
  return { text: title, blocks: [header(title), ...shown, end] };
}

function lastAnswer({ connectionNames, lastUsed }: Workspace): readonly string[] {
  const times = connectionNames.flatMap((name) => lastUsed(name) ?? []);
  return times.length === 0 ? [] : [`Last answer from billing: ${formatInstant(Math.max(...times))}`];
}
