import { UnsealFailed } from '../../domain/failure/index.ts';
import type { InstallationRecords } from '../../workspace/installation-store.ts';
import type { WebClient } from '../web-client.ts';
import { parseInstallation, type StoredInstallation } from './installation.ts';
import type { TokenStatus } from './uninstall.ts';

/** What Slack says of a token that it takes no more. */
const ENDED = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

/** For all that Slack says: one that does not answer has not refused. */
export async function isTokenAccepted(client: WebClient): Promise<boolean> {
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    return !ENDED.has((error as { data?: { error?: string } }).data?.error ?? '');
  }
}

/** Asked of the store and of Slack themselves, not of what a process remembers. */
export function tokenStatusOf(
  installed: InstallationRecords,
  clientFor: (token: string) => WebClient,
): TokenStatus {
  /** What cannot be opened is as good as none: it does not stand in the way of deleting it. */
  const kept = async (id: string): Promise<StoredInstallation | undefined> => {
    try {
      const text = await installed.read(id);
      return text === undefined ? undefined : parseInstallation(text);
    } catch (error) {
      if (error instanceof UnsealFailed) return undefined;
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
