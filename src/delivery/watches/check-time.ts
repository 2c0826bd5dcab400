import { createHash } from 'node:crypto';
import * as z from 'zod';
import { bucketOf } from '../../domain/bucket.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { tryParseRecord } from '../../workspace/record/record-schema.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';

/** In the delivery log: when the watches were last checked. */
export const CHECK_STATE = 'check/watches';
export const WATCH_STATE = 'watch/';

const schema = z.object({
  /** When the check began, and when the next one is due, in ms. */
  at: z.int(),
  next: z.int(),
  /** What it was made of: see `watchBasisOf`. */
  basis: z.string(),
});
export type LastCheck = Readonly<z.infer<typeof schema>>;

/** Undefined for none, and for one that cannot be read: then it is time for one. */
const parseLastCheck = (json: string | undefined): LastCheck | undefined => tryParseRecord(schema, json);

/** Watches are checked every hour, at a different time for each workspace. @returns ms since the epoch */
export function hourlyCheckAfter(teamId: SlackId, at: Millis): number {
  const spread = bucketOf(teamId, HOUR);
  return (Math.floor((at - spread) / HOUR) + 1) * HOUR + spread;
}

/** Paused or snoozed at `now` (ms): it is judged, and alerts nobody. */
export const isMuted = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

/** Watches, tokens and the zone: a change is looked at without waiting for the hour. */
export function watchBasisOf({ watches, connections, projects, settings }: Workspace): string {
  const parts = [
    watches.map(({ id, since, paused, snoozedUntil }) => [id, since, paused?.at, snoozedUntil]),
    [...connections.values()].map(({ name, fingerprint }) => [name, fingerprint]),
    projects.map(({ id, product, connection }) => [id, product, connection]),
    [settings.zone, settings.connection],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 16);
}

/** When the watches are checked next, in ms: `now` or earlier if that is due; undefined for never. */
export function nextCheckAt(
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
): number | undefined {
  const last = parseLastCheck(snapshot.state(CHECK_STATE));
  if (workspace.watches.length === 0) return undefined;
  // A clock that went back would put the next check off for as long.
  if (last === undefined || last.at > now || last.basis !== watchBasisOf(workspace)) return now;
  return last.next;
}
