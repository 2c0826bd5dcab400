import type { BillingClient } from '../../billing/client.ts';
import {
  ConnectionMissing,
  isFailure,
  NoData,
  SettingsDamaged,
  UnsealFailed,
} from '../../domain/failure/index.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { type Block, type Message, section, withoutActions } from '../../slack/kit/atoms.ts';
import type { RateLimiter } from '../../slack/rate-limit.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { refuseExtraWords } from '../../slack/subcommands.ts';
import { auditedChange } from '../../workspace/change.ts';
import type { OpenableConnection } from '../../workspace/connections.ts';
import type { LastUsed } from '../../workspace/last-used.ts';
import { findConnection } from '../../workspace/workspace.ts';
import type { Workspace, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { formatTestResult, statusMessage, type TestResult } from './blocks.ts';

export interface StatusParts {
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  readonly limits: RateLimiter;
  readonly used: LastUsed;
  /** What other features say here, in their order. */
  readonly sections: () => readonly ((request: Request) => readonly Block[] | Promise<readonly Block[]>)[];
}

/** Slack takes no more in a message. */
const MOST_BLOCKS = 50;
const DAMAGED = 'Some of Tally’s data is damaged and can’t be shown. Ask your operator to check the log.';

/** `/billing status`: the connections, how long their tokens last, whether they work; for managers what to do about it. */
export function createStatus({ workspaces, billing, limits, used, sections }: StatusParts): Feature {
  const draw = async (request: Request, workspace: Workspace, tested?: TestResult): Promise<void> => {
    const { user, at } = request;
    await request.reply.update(
      await whole(statusMessage({ workspace, user, place: askLocation(request), at, tested }), request),
    );
  };
  /** Adds the other features' sections before the last line. */
  const whole = async ({ text, blocks }: Message, request: Request): Promise<Message> => {
    const drawn = sections().map((one) => drawUnlessDamaged(one, request));
    const more = (await Promise.all(drawn)).flat();
    const end = blocks.at(-1)?.type === 'context' ? blocks.length - 1 : blocks.length;
    return { text, blocks: [...blocks.slice(0, end), ...more, ...blocks.slice(end)].slice(0, MOST_BLOCKS) };
  };

  /** Asks for a balance to check that the token can be decrypted, is accepted, and that its project has data. */
  const test = async (
    connection: OpenableConnection,
    { user, workspace, at }: Request,
  ): Promise<readonly Block[]> => {
    if (connection.test === undefined) return [];
    try {
      limits.demand('tests', { teamId: user.teamId, userId: user.id });
      const { teamId } = user;
      const { name, baseUrl } = connection;
      const access = { workspace: teamId, connection: name, baseUrl, token: connection.token() };
      await billing.balance(access, connection.test);
      await used.note({ teamId, workspace }, { connection: connection.name, at });
      return [section(formatTestResult(connection.test, true))];
    } catch (error) {
      if (error instanceof NoData) return [section(formatTestResult(connection.test, false))];
      if (!isFailure(error)) throw error;
      return withoutActions(failureMessage(error).blocks);
    }
  };

  return {
    help: [
      {
        usage: '/billing status',
        what: 'Shows whether billing can be reached and when tokens expire.',
      },
    ],
    verbs: {
      status: {
        right: 'ask',
        async run(rest, request) {
          refuseExtraWords(rest, 'status');
          await draw(request, request.workspace);
        },
      },
    },
    actions: {
      'connection-test': {
        right: 'manage',
        async run({ value: name }, request) {
          const connection = findConnection(request.workspace, name);
          if (connection === undefined) throw new ConnectionMissing(name);
          await draw(request, request.workspace, { name, says: await test(connection, request) });
        },
      },
      'connection-default': {
        right: 'manage',
        async run({ value: name }, request) {
          if (!request.workspace.connectionNames.includes(name)) throw new ConnectionMissing(name);
          await workspaces.chooseDefault(auditedChange(request, ['default connection changed', name]), name);
          await draw(request, await workspaces.read(request.user.teamId));
        },
      },
    },
  };
}

/** One feature's lines; a damaged record leaves out these lines alone. */
async function drawUnlessDamaged(
  draw: ReturnType<StatusParts['sections']>[number],
  request: Request,
): Promise<readonly Block[]> {
  try {
    return await draw(request);
  } catch (error) {
    if (error instanceof UnsealFailed || error instanceof SettingsDamaged) return [section(DAMAGED)];
    throw error;
  }
}
