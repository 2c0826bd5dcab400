import { describe, expect, it } from 'vitest';
import { type CsvCell, formatCsv } from '../../src/slack/reply/answer-file.ts';

const text = (value: string): CsvCell => ({ text: value });
const digits = (value: string): CsvCell => ({ digits: value });

describe('a CSV file', () => {
  it('ends each row with CR and LF, and separates cells with commas', () => {
    expect(
      formatCsv([
        [text('day'), text('amount')],
        [text('2026-11-20'), digits('1.10')],
      ]),
    ).toBe('day,amount\r\n2026-11-20,1.10\r\n');
    expect(formatCsv([])).toBe('');
    expect(formatCsv([[]])).toBe('\r\n');
    expect(formatCsv([[text(''), text('')]])).toBe(',\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['a "b" "c"', '"a ""b"" ""c"""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['x;=1+1', '"x;=1+1"'],
    ['x\t=1+1', '"x\t=1+1"'],
    [' a ', ' a '],
  ])('writes the text %j as %s', (value, cell) => expect(formatCsv([[text(value)]])).toBe(`${cell}\r\n`));

  it.each([
    ...['=1+1', '+1', '-1', '@sum', '＝1', '＋1', '－1', '＠a'].map((one) => [one, `'${one}`]),
    ['\r=1', `"'\r=1"`],
    ['\t=1', `"'\t=1"`],
    ['=a,"b"', `"'=a,""b"""`],
    ['a=1', 'a=1'],
    ['a\n=1', '"a\n=1"'],
  ])('writes %j so that no spreadsheet runs it as a formula: %s', (value, cell) =>
    expect(formatCsv([[text(value)]])).toBe(`${cell}\r\n`),
  );

  it('keeps an amount’s digits and its minus sign as they are', () => {
    expect(formatCsv([[digits('-1.5'), text('-1.5')]])).toBe("-1.5,'-1.5\r\n");
  });
});
