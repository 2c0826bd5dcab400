import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { millis, projectId, tryParseRecord } from '../record/parse-record.ts';

/** A token that a window shows, with what revoking it takes. */
const token = z.object({
  value: z.string(),
  /** The identity service that issued it: it is sent to no other. */
  authUrl: z.string(),
  /** When it expires, if the service says. */
  expiresAt: millis.exactOptional(),
  /** Until when the window can revoke it. */
  until: millis,
  /** Its name in the audit. */
  audit: z.string().exactOptional(),
});

const schema = z.object({
  project: projectId,
  /** The project as a command names it: the alias, or the ID. */
  word: z.string(),
  /** The channel of the request: the project's channel limits hold for what follows, too. */
  channel: z.string().exactOptional(),
  token: token.exactOptional(),
});

/** What a window of `/os-token` is about, and the one token that it can revoke. */
export type TokenWindow = Readonly<z.infer<typeof schema>>;
export type WindowToken = NonNullable<TokenWindow['token']>;

export type TokenWindows = ReturnType<typeof createTokenWindows>;

/** Tally stores no token: its window carries it, sealed for one person in one workspace, and is unreadable for Slack. */
export function createTokenWindows(keyring: Keyring) {
  const ownerOf = (workspace: SlackId, person: SlackId) => ({ workspace, kind: 'os-token', id: person });
  return {
    /** @returns an envelope for the window's metadata, another one each time */
    seal: (workspace: SlackId, person: SlackId, window: TokenWindow): string =>
      keyring.seal(JSON.stringify(window), ownerOf(workspace, person)),
    /** @returns undefined for outside text and for other people; without the token after `until` */
    open(workspace: SlackId, person: SlackId, text: string, at: Millis): TokenWindow | undefined {
      const json = tryParse(() => keyring.open(text, ownerOf(workspace, person)), Failure);
      const window = tryParseRecord(schema, json);
      if (window?.token === undefined || window.token.until > at) return window;
      const { token: _, ...rest } = window;
      return rest;
    },
  };
}
