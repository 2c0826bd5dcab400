import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import { mayOpenWindow, parseWithOutput } from '../../../src/domain/language/parse-argument.ts';
import { parseCommandText } from '../../../src/domain/language/parse-command.ts';

const aliases = new Set(['prod', 'csv']);
const read = (text: string, names: ReadonlySet<string> = new Set()) =>
  parseWithOutput(text, names, (rest) => rest);

describe('the word for a file or for details', () => {
  it.each([
    ['prod csv', 'prod', 'csv'],
    ['CSV prod  today', 'prod today', 'csv'],
    ['prod Details today', 'prod today', 'details'],
    ['prod today', 'prod today', undefined],
    ['prod  today', 'prod  today', undefined],
    ['csv prod csv', 'prod', 'csv'],
    ['prod last-month why', 'prod last-month', 'why'],
    ['Why? prod', 'prod', 'why'],
    ['mycsv csvs prod-details', 'mycsv csvs prod-details', undefined],
  ])('in “%s” leaves “%s” and asks for %s', (text, words, output) => {
    expect(read(text)).toEqual({ words, output });
    expect(mayOpenWindow(text)).toBe(output === 'csv' || output === 'details');
  });

  it('is refused beside another one', () => {
    expect(() => read('csv details prod')).toThrow('You asked for “csv” and “details”. Ask for one of them.');
  });

  it('is the project if a project has that name', () => {
    expect(read('CSV today', aliases)).toEqual({ words: 'CSV today', output: undefined });
    expect(read('csv details', aliases)).toEqual({ words: 'csv', output: 'details' });
  });

  it('stays in what is suggested instead of a refused word', () => {
    const parse = (text: string) =>
      parseWithOutput(text, aliases, (rest) => parseCommandText(rest, new Set(['prod'])));
    const refusal = (text: string): unknown => {
      try {
        return parse(text);
      } catch (error) {
        return error;
      }
    };
    const refused = refusal('prod details yesterdya');
    expect(refused).toBeInstanceOf(InvalidWord);
    expect(refused).toMatchObject({ word: 'yesterdya', suggestion: 'prod yesterday details' });
    expect((refused as InvalidWord).message).toBe((refusal('prod yesterdya') as InvalidWord).message);
    expect(refusal('prod yesterdya')).toMatchObject({ suggestion: 'prod yesterday' });
    expect(refusal('prod details xyzzyplugh')).toMatchObject({ suggestion: undefined });
  });

  it('does not change other errors', () => {
    const failure = new Error('something else');
    const fail = () => {
      throw failure;
    };
    expect(() => parseWithOutput('prod csv', aliases, fail)).toThrow(failure);
    expect(() => parseWithOutput('prod details', aliases, fail)).toThrow(failure);
  });
});
