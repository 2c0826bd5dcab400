import type { Logger } from 'pino';
import { type Block, withoutActions } from '../../slack/kit/atoms.ts';
import { callSlack, type WebClient } from '../../slack/web-client.ts';
import type { Feature } from '../feature.ts';
import { type HomeSection, homeBlocks } from './blocks.ts';

export interface HomeParts {
  /** What other features show here, in their order. */
  readonly sections: () => readonly HomeSection[];
  readonly log: Logger;
}

/** The app's Home: what its viewer may see, drawn anew each time it is opened. */
export function createHome({ sections, log }: HomeParts): Feature {
  /** Nobody asked a question, so nobody is told that there is no answer. */
  const publish = async (client: WebClient, person: string, blocks: readonly Block[]): Promise<void> => {
    const view = { type: 'home' as const, blocks: [...blocks] as never[] };
    await callSlack('views.publish', () => client.views.publish({ user_id: person, view })).catch(
      (err: unknown) => log.warn({ err }, 'a Home could not be drawn'),
    );
  };

  return {
    help: [
      {
        usage: 'Home',
        what: 'The first tab of this app: your projects with their last known balances, and whether their connections work.',
      },
    ],
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
