import { expect, it } from 'vitest';
import { parseWithOutput } from '../../../src/domain/language/parse-argument.ts';

const aliases = new Set(['prod', 'csv']);
const read = (text: string, names: ReadonlySet<string> = new Set()) =>
  parseWithOutput(text, names, (rest) => rest);

it('the word for a file is refused beside another one', () => {
  expect(() => read('csv details prod')).toThrow('You asked for “csv” and “details”. Ask for one of them.');
});

it('the word for a file is the project if a project has that name', () => {
  expect(read('CSV today', aliases)).toEqual({ words: 'CSV today', output: undefined });
  expect(read('csv details', aliases)).toEqual({ words: 'csv', output: 'details' });
});
