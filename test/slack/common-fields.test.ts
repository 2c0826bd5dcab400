import { describe, expect, it } from 'vitest';
import { searchZones } from '../../src/slack/forms/common-fields.ts';

describe('a time zone is found', () => {
  it.each(Intl.supportedValuesOf('timeZone'))('by its name: %s', (zone) => {
    expect(searchZones(zone)[0]).toBe(zone);
    expect(searchZones(zone.toLowerCase())[0]).toBe(zone);
  });

  it('by the beginning of its place, then by any part of its name', () => {
    expect(searchZones('berl')[0]).toBe('Europe/Berlin');
    expect(searchZones('los an')).toContain('America/Los_Angeles');
    expect(searchZones('Nowhere/Land')).toEqual([]);
    expect(searchZones('+05:30')).toEqual([]);
    expect(searchZones('')[0]).toBe('UTC');
  });
});
