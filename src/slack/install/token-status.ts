import { UnsealFailed } from '../../domain/failure/index.ts';
import type { InstallationRecords } from '../../workspace/credentials/installation-store.ts';
import { tokenRefusal } from '../reply/keep-trying.ts';
import type { WebClient } from '../web-client.ts';
import { parseInstallation, type StoredInstallation } from './installation.ts';
import type { TokenStatus } from './uninstall.ts';

/** @returns false only if Slack refuses the token; true if it doesn't answer. Never rejects. */
export async function isTokenAccepted(client: WebClient): Promise<boolean> {
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    return tokenRefusal(error) === undefined;
  }
}

/** Reads the store and asks Slack each time: another process may have changed what this one has cached. */
export function tokenStatusOf(
  installed: InstallationRecords,
  clientFor: (token: string) => WebClient,
): TokenStatus {
  /** An installation that can't be unsealed counts as none, so that it can be deleted. */
  const stored = async (id: string): Promise<StoredInstallation | undefined> => {
    try {
      const text = await installed.read(id);
      return text === undefined ? undefined : parseInstallation(text);
    } catch (error) {
      if (error instanceof UnsealFailed) return undefined;
      throw error;
    }
  };
  return {
    since: async (id) => (await stored(id))?.at,
    async works(id) {
      const token = (await stored(id))?.installation.bot?.token;
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
