import { describe, expect, it } from 'vitest';
import type { DeliveryLogLine } from '../../src/delivery/delivery-log.ts';
import { openDueTimes } from '../../src/delivery/due-dates.ts';
import { schedule } from '../support/delivery.ts';

const DAY = 86_400_000;
/** Friday, 20 November 2026, 09:00 in Rome. */
const NINE = Date.parse('2026-11-20T08:00:00Z');

const posted = (date: string, due: number): DeliveryLogLine => ({
  schedule: 'schedul1',
  date,
  entry: { state: 'posted', due, at: due, began: due, tries: 1 },
  json: '{}',
});
const firstDate = (time: string, last: DeliveryLogLine | undefined) => {
  const timing = { cadence: { kind: 'daily' }, time, zone: 'Europe/Rome' } as const;
  for (const due of openDueTimes(schedule({ timing, since: NINE - DAY / 2 }), last)) return due.date;
  return undefined;
};

describe('the dates that are still to be delivered', () => {
  it('begin with the first one since the schedule was saved', () => {
    expect(firstDate('09:00', undefined)).toBe('2026-11-20');
  });

  it('leave out the date of the last post, also where its time was moved to later that day', () => {
    expect(firstDate('11:00', posted('2026-11-20', NINE))).toBe('2026-11-21');
  });

  it('leave out dates before the last post', () => {
    expect(firstDate('09:00', posted('2026-11-22', NINE))).toBe('2026-11-23');
  });
});
