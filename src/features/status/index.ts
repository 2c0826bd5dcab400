import type { BillingClient } from '../../billing/client.ts';
import { ConnectionMissing, isFailure, NoData } from '../../domain/failure.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import { type Block, type Message, section, withoutActions } from '../../slack/kit/atoms.ts';
import { placeOf, type Visit } from '../../slack/visit.ts';
import { changeBy } from '../../workspace/change.ts';
import type { OpenableConnection } from '../../workspace/connections.ts';
import { readable } from '../../workspace/record.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { statusMessage, type Tested, testedText } from './blocks.ts';

export interface StatusParts {
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  /** What other features say here, in their order. */
  readonly sections: () => readonly ((visit: Visit) => readonly Block[])[];
}

/** Slack takes no more in a message. */
const MOST_BLOCKS = 50;
const DAMAGED =
  'A part of what Tally keeps is damaged and cannot be shown. Whoever runs the bot can look into it.';

/** `/billing status`: the connections, how long their tokens last, whether they work; for managers what to do about it. */
export function createStatus({ workspaces, billing, sections }: StatusParts): Feature {
  const draw = (visit: Visit, record: WorkspaceRecord, tested?: Tested): Promise<void> =>
    visit.answer(
      whole(
        statusMessage({ record, asker: visit.asker, place: placeOf(visit), at: visit.at, tested }),
        visit,
      ),
    );
  /** The other features' lines stand before the small print. */
  const whole = ({ text, blocks }: Message, visit: Visit): Message => {
    const more = sections().flatMap((one) => readable(() => one(visit)) ?? [section(DAMAGED)]);
    const end = blocks.at(-1)?.type === 'context' ? blocks.length - 1 : blocks.length;
    return { text, blocks: [...blocks.slice(0, end), ...more, ...blocks.slice(end)].slice(0, MOST_BLOCKS) };
  };

  /** A balance is asked for and thrown away: whether the token opens, is accepted, and its project still answers. */
  const test = async (connection: OpenableConnection): Promise<readonly Block[]> => {
    if (connection.test === undefined) return [];
    try {
      const access = { baseUrl: connection.baseUrl, token: connection.token() };
      await billing.balance(access, connection.test);
      return [section(testedText(connection.test, true))];
    } catch (error) {
      if (error instanceof NoData) return [section(testedText(connection.test, false))];
      if (!isFailure(error)) throw error;
      return withoutActions(failureMessage(error).blocks);
    }
  };

  return {
    help: [
      {
        usage: '/billing status',
        what: 'The connections to billing: whether a token is about to lapse, and more for those who manage, with a test.',
      },
    ],
    verbs: {
      status: { right: 'ask', run: (_, visit) => draw(visit, visit.record) },
    },
    actions: {
      'connection-test': {
        right: 'manage',
        async run({ value: name }, visit) {
          const connection = visit.record.connection(name);
          if (connection === undefined) throw new ConnectionMissing(name);
          await draw(visit, visit.record, { name, says: await test(connection) });
        },
      },
      'connection-default': {
        right: 'manage',
        async run({ value: name }, visit) {
          if (!visit.record.connectionNames.includes(name)) throw new ConnectionMissing(name);
          await workspaces.chooseDefault(changeBy(visit, ['default connection changed', name]), name);
          await draw(visit, await workspaces.read(visit.asker.workspace));
        },
      },
    },
  };
}
