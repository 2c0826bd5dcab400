import { expect, it } from 'vitest';
import { readSpend } from '../../support/read-words.ts';

const aliases = new Set(['prod', 'csv']);

it('the word for a file is refused beside another one', () => {
  expect(() => readSpend('csv details prod', new Set(['prod']))).toThrow(
    'You asked for “csv” and “details”. Ask for one of them.',
  );
});

it('the word for a file is the project if a project has that name', () => {
  expect(readSpend('CSV today', aliases)).toMatchObject({ alias: 'csv' });
  expect(readSpend('csv details', aliases)).toMatchObject({ alias: 'csv', output: 'details' });
});
