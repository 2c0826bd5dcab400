import type { Installation } from '@slack/oauth';
import type { Millis } from '../../domain/time/calendar.ts';

/** An installation as Slack gave it, and when, in ms since the epoch. */
export interface StoredInstallation {
  readonly installation: Installation;
  readonly at: Millis;
}

/** @returns the workspace's ID, or the organisation's for an org-wide installation @throws RangeError without either */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organisation.');
  return id;
}

export const serializeInstallation = (stored: StoredInstallation): string => JSON.stringify(stored);

/** Not validated: the record was sealed, so only Tally can have written it. */
export const parseInstallation = (text: string): StoredInstallation => JSON.parse(text) as StoredInstallation;

/** @returns ms since the epoch; Infinity for a token without rotation */
export const tokenExpiresAt = ({ installation: { bot } }: StoredInstallation): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;
