import { describe, expect, it } from 'vitest';
import { isTimeZone } from '../../src/domain/time/calendar.ts';
import { searchZones, suggestZones } from '../../src/slack/commands/zone-picker.ts';

describe('a time zone is found', () => {
  it.each(Intl.supportedValuesOf('timeZone'))('by its name: %s', (zone) => {
    expect(searchZones(zone)[0]).toBe(zone);
    expect(searchZones(zone.toLowerCase())[0]).toBe(zone);
  });

  it('by its name if it is a fixed offset, or has no place in its name', () => {
    const offsets = Array.from({ length: 27 }, (_, at) => at - 14);
    const zones = [
      ...offsets.map((hours) => `Etc/GMT${hours < 0 ? '' : '+'}${hours}`),
      ...['CET', 'CST6CDT', 'EET', 'EST', 'EST5EDT', 'GMT', 'HST', 'MET', 'MST', 'MST7MDT', 'PST8PDT', 'WET'],
    ];
    for (const zone of zones) {
      expect(isTimeZone(zone)).toBe(true);
      expect(searchZones(zone)[0]).toBe(zone);
      expect(searchZones(zone.toLowerCase())[0]).toBe(zone);
    }
    expect(searchZones('gmt+5')).toContain('Etc/GMT+5');
    const [five] = suggestZones('Etc/GMT+5', { at: Date.UTC(2026, 10, 21, 12) });
    expect(five?.description?.text).toBe('Saturday 21 November 2026, 07:00 (UTC-05:00)');
  });

  it.each([
    ...['Etc/GMT0', 'Etc/GMT-0', 'GMT+0', 'GMT-0', 'GMT0', 'Etc/UCT', 'Etc/Zulu', 'Zulu', 'Universal', 'UCT'],
    ...['GB', 'GB-Eire', 'NZ', 'NZ-CHAT', 'W-SU', 'ROC', 'ROK', 'PRC', 'Turkey', 'Cuba', 'Eire', 'Navajo'],
    ...['US/Eastern', 'US/East-Indiana', 'Asia/Calcutta', 'Asia/Kolkata', 'Chile/EasterIsland', 'Hongkong'],
  ])('by an older name that Intl knows: %s', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
    expect(searchZones(zone)[0]).toBe(zone);
  });

  it('only if a record can keep it: ICU alone knows PST', () => {
    expect(searchZones('PST')).not.toContain('PST');
  });

  it('by the beginning of its place, then by any part of its name', () => {
    expect(searchZones('berl')[0]).toBe('Europe/Berlin');
    expect(searchZones('los an')).toContain('America/Los_Angeles');
    expect(searchZones('Nowhere/Land')).toEqual([]);
    expect(searchZones('+05:30')).toEqual([]);
    expect(searchZones('')[0]).toBe('UTC');
  });
});
