import type { Installation } from '@slack/oauth';

/** An installation as Slack gave it, and when, in ms since the epoch. */
export interface Kept {
  readonly installation: Installation;
  readonly at: number;
}

/** Where it belongs: an organisation's own id when it is installed there as a whole. */
export function idOf({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organisation.');
  return id;
}

export const toText = (kept: Kept): string => JSON.stringify(kept);

/** The seal vouches for its shape: nobody but us can have written it. */
export const toKept = (text: string): Kept => JSON.parse(text) as Kept;

/** Bot tokens of a rotating app end; `expiresAt` is in seconds since the epoch. Infinity for the others, in ms. */
export const endOf = ({ installation: { bot } }: Kept): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;
