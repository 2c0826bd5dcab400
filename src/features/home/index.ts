import type { Logger } from 'pino';
import type { BillingClient } from '../../billing/client.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { parseAmount } from '../../domain/money/amount.ts';
import { type Block, withoutActions } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request.ts';
import { callSlack, type WebClient } from '../../slack/web-client.ts';
import { type LastUsed, storedBalance } from '../../workspace/last-used.ts';
import type { Project } from '../../workspace/projects.ts';
import { openConnection } from '../../workspace/resolve-project.ts';
import type { Feature } from '../feature.ts';
import { type HomeSection, homeBlocks, REFRESH } from './blocks.ts';
import { homeProjects, MOST_PROJECTS } from './projects.ts';

export interface HomeParts {
  /** What other features show here, in their order. */
  readonly sections: () => readonly HomeSection[];
  readonly billing: BillingClient;
  readonly used: LastUsed;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** A balance that is younger is not asked for again, in ms. */
const FRESH = 60_000;

/** The app's Home: what its viewer may see, drawn each time it is opened and after each click on it. */
export function createHome({ sections, billing, used, log, clock }: HomeParts): Feature {
  /** Errors go to the log only: nobody asked a question that needs an answer. */
  const publish = async (client: WebClient, person: string, blocks: readonly Block[]): Promise<void> => {
    const view = { type: 'home' as const, blocks: [...blocks] as never[] };
    await callSlack('views.publish', () => client.views.publish({ user_id: person, view })).catch(
      (err: unknown) => log.warn({ err }, 'a Home could not be drawn'),
    );
  };

  /** Asks for one balance and stores it. A project that fails keeps the balance it had, with its date. */
  const refresh = async (
    { alias, id: project, product, connection }: Project,
    request: Request,
  ): Promise<void> => {
    const { workspace, user } = request;
    try {
      const access = openConnection(workspace, { alias, connection, label: alias });
      const { balance, bonuses } = await billing.balance(access, { project, product });
      const amounts = { balance: parseAmount(balance), bonuses: parseAmount(bonuses) };
      const stored = storedBalance({ alias, project, product }, amounts);
      const note = { connection: access.connection, at: clock(), ...(stored && { balance: stored }) };
      await used.note({ teamId: user.teamId, workspace }, note);
    } catch (error) {
      if (!isFailure(error)) throw error;
      log.debug({ failure: error.kind }, 'a balance on Home could not be refreshed');
    }
  };

  return {
    help: [
      {
        usage: 'Home',
        what: 'Your projects with their balances, scheduled posts and connections: the first tab of this app.',
      },
    ],
    actions: {
      [REFRESH]: {
        right: 'ask',
        async run(_, request) {
          const isOld = ({ id, product }: Project) =>
            clock() - (request.workspace.lastBalance(id, product)?.at ?? 0) >= FRESH;
          const projects = homeProjects(request).slice(0, MOST_PROJECTS).filter(isOld);
          await Promise.all(projects.map((project) => refresh(project, request)));
        },
      },
    },
    events: {
      app_home_opened: {
        right: 'ask',
        wants: ({ tab }) => tab === 'home',
        async run(_, request, { client }) {
          await publish(client, request.user.id, await homeBlocks(request, sections()));
        },
        // For somebody who may not ask, or when it cannot be said who asks.
        onError: ({ blocks }, { user = '' }, { client }) => publish(client, user, withoutActions(blocks)),
      },
    },
  };
}
