import type { AlertResponse } from '../../delivery/watches/watch-service.ts';
import {
  addDays,
  DAY,
  dayAt,
  endOfUnit,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { button } from '../../slack/kit/atoms.ts';
import { changeItem } from '../../slack/owned/actions.ts';
import { showOwned } from '../../slack/owned/list.ts';
import type { OwnedKind } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

/** What an alert and the list offer, by what a button's value says. */
const SNOOZES = {
  day: '1 day',
  week: '7 days',
  month: 'Until next month',
} as const;
type Snooze = keyof typeof SNOOZES;

const isSnooze = (choice: string): choice is Snooze => Object.hasOwn(SNOOZES, choice);

/** @param zone the reporting zone, in which a month begins */
function snoozeUntil(snooze: Snooze, at: Millis, zone: Zone): Millis {
  switch (snooze) {
    case 'day':
      return at + DAY;
    case 'week':
      return at + 7 * DAY;
    case 'month':
      return startOfDay(addDays(endOfUnit('month', dayAt(at, zone)), 1), zone);
  }
}

/** Asks for how long. */
export const offerSnooze = (kind: OwnedKind<Watch>, { id }: Watch, request: Request): Promise<void> =>
  showOwned(kind, request, {
    notice: 'Snooze for how long? Nobody is alerted until then.',
    buttons: Object.entries(SNOOZES).map(([snooze, label]) =>
      button(`watch-snooze:${snooze}`, label, { value: `${snooze} ${id}` }),
    ),
  });

/**
 * Saves until when nobody is alerted.
 * @param choice a key of `SNOOZES`: outside text
 * @returns undefined for another choice
 */
export async function snoozeWatch(
  kind: OwnedKind<Watch>,
  watch: Watch,
  choice: string,
  request: Request,
): Promise<Extract<AlertResponse, { readonly kind: 'snoozed' }> | undefined> {
  if (!isSnooze(choice)) return undefined;
  const { at, user, workspace } = request;
  const until = snoozeUntil(choice, at, requireSettings(workspace).zone);
  await changeItem(kind, { ...watch, snoozedUntil: until }, 'watch snoozed', request);
  return { kind: 'snoozed', at, by: user.id, until };
}

export async function stopSnoozing(kind: OwnedKind<Watch>, watch: Watch, request: Request): Promise<void> {
  const { snoozedUntil, ...awake } = watch;
  if (snoozedUntil !== undefined) await changeItem(kind, awake, 'watch changed', request);
  await showOwned(kind, request, {
    notice: 'No longer snoozed. Tally alerts if a threshold was crossed in between and still is.',
  });
}
