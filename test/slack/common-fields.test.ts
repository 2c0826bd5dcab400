import { describe, expect, it } from 'vitest';
import { searchZones } from '../../src/slack/forms/common-fields.ts';

describe('the search for a time zone', () => {
  it.each(Intl.supportedValuesOf('timeZone'))('finds %s by its name', (zone) => {
    expect(searchZones(zone)[0]).toBe(zone);
    expect(searchZones(zone.toLowerCase())[0]).toBe(zone);
  });

  it('lists first the cities that begin with the typed text', () => {
    expect(searchZones('berl')[0]).toBe('Europe/Berlin');
    expect(searchZones('los an')).toContain('America/Los_Angeles');
    expect(searchZones('Nowhere/Land')).toEqual([]);
    expect(searchZones('+05:30')).toEqual([]);
    expect(searchZones('')[0]).toBe('UTC');
  });
});
