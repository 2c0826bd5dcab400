import { describe, expect, it } from 'vitest';
import { isTimeZone } from '../../src/domain/time/calendar.ts';
import { searchZones } from '../../src/slack/commands/pickers.ts';

describe('a time zone is found', () => {
  it.each(Intl.supportedValuesOf('timeZone'))('by its name: %s', (zone) => {
    expect(searchZones(zone)[0]).toBe(zone);
    expect(searchZones(zone.toLowerCase())[0]).toBe(zone);
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
