import { clocksAt, type Due, duesAfter, type Timing } from '../../domain/cadence.ts';
import { formatDays, wallAt } from '../../domain/calendar.ts';

/** How many sends a form shows before it is saved. */
const SHOWN = 3;

/** `Mon 23 Nov 2026, 09:00` as the clocks of the zone show it. */
export function wallWords(at: number, zone: string): string {
  const { day, time } = wallAt(at, zone);
  return `${formatDays(day, day)}, ${time}`;
}

/** The next sends after `now` (ms), a line each: in the schedule's zone, in UTC, and what the clocks do that night. */
export const nextSends = (timing: Timing, now: number): readonly string[] =>
  duesAfter(timing, now, SHOWN).map((due) => sendWords(due, timing));

function sendWords(due: Due, timing: Timing): string {
  const { zone } = timing;
  const here = wallWords(due.at, zone);
  const remark = remarkOn(due, timing);
  if (zone === 'UTC') return `${here} UTC`;
  const [utc, local] = [wallAt(due.at, 'UTC'), wallAt(due.at, zone)];
  const known = local.day.slice(0, 4);
  const day = utc.day === local.day ? '' : `${formatDays(utc.day, utc.day, known)}, `;
  return `${here} · ${day}${utc.time} UTC${remark}`;
}

function remarkOn(due: Due, timing: Timing): string {
  switch (clocksAt(due, timing)) {
    case 'skipped':
      return ` (clocks go forward: ${timing.time} does not exist that night)`;
    case 'doubled':
      return ` (clocks go back: ${timing.time} comes twice, and the first one counts)`;
    default:
      return '';
  }
}
