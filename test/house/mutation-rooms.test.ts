import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROOMS } from '../mutation/rooms.ts';

it.each(Object.entries(ROOMS))('mutates files of %s that are there, by tests that are', (_, room) => {
  const missing = [...room.mutate, ...room.tests].filter((path) => !existsSync(path.replace(/\*.*$/, '')));
  expect(missing).toEqual([]);
});
