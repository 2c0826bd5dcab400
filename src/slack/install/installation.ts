import type { Installation } from '@slack/oauth';

/** An installation as Slack gave it, and when, in ms since the epoch. */
export interface StoredInstallation {
  readonly installation: Installation;
  readonly at: number;
}

/** Where it belongs: an organisation's own id when it is installed there as a whole. */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organisation.');
  return id;
}

export const serializeInstallation = (kept: StoredInstallation): string => JSON.stringify(kept);

/** The seal vouches for its shape: nobody but us can have written it. */
export const parseInstallation = (text: string): StoredInstallation => JSON.parse(text) as StoredInstallation;

/** Bot tokens of a rotating app end; `expiresAt` is in seconds since the epoch. Infinity for the others, in ms. */
export const tokenExpiresAt = ({ installation: { bot } }: StoredInstallation): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;
