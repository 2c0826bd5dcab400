import { SealBroken } from '../../domain/failure.ts';
import type { Installed } from '../../workspace/installed.ts';
import type { WebClient } from '../web.ts';
import { type Kept, toKept } from './installation.ts';
import type { Standing } from './leave.ts';

/** What Slack says of a token that it takes no more. */
const ENDED = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

/** For all that Slack says: one that does not answer has not refused. */
export async function isTaken(client: WebClient): Promise<boolean> {
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    return !ENDED.has((error as { data?: { error?: string } }).data?.error ?? '');
  }
}

/** Asked of the store and of Slack themselves, not of what a process remembers. */
export function standingOf(installed: Installed, clientFor: (token: string) => WebClient): Standing {
  /** What cannot be opened is as good as none: it does not stand in the way of deleting it. */
  const kept = async (id: string): Promise<Kept | undefined> => {
    try {
      const text = await installed.read(id);
      return text === undefined ? undefined : toKept(text);
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  };
  return {
    since: async (id) => (await kept(id))?.at,
    async works(id) {
      const token = (await kept(id))?.installation.bot?.token;
      if (token === undefined) return false;
      return clientFor(token)
        .auth.test()
        .then(
          () => true,
          () => false,
        );
    },
  };
}
