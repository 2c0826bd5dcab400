import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { projectId, tryParseRecord } from '../record/parse-record.ts';

const schema = z.object({
  /** The token itself. */
  value: z.string(),
  /** The identity service that issued it: it is sent to no other. */
  authUrl: z.string(),
  project: projectId,
});

/** What revoking the OS_TOKEN takes that a window shows. */
export type TokenWindow = Readonly<z.infer<typeof schema>>;

export type TokenWindows = ReturnType<typeof createTokenWindows>;

/** Tally stores no token: its window carries it, sealed for one person in one workspace, and is unreadable for Slack. */
export function createTokenWindows(keyring: Keyring) {
  const ownerOf = (workspace: SlackId, person: SlackId) => ({ workspace, kind: 'os-token', id: person });
  return {
    /** @returns an envelope for the window's metadata, another one each time */
    seal: (workspace: SlackId, person: SlackId, window: TokenWindow): string =>
      keyring.seal(JSON.stringify(window), ownerOf(workspace, person)),
    /** @returns undefined for outside text and for other people */
    open: (workspace: SlackId, person: SlackId, text: string): TokenWindow | undefined =>
      tryParseRecord(
        schema,
        tryParse(() => keyring.open(text, ownerOf(workspace, person)), Failure),
      ),
  };
}
