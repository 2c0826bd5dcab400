import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeInPercent,
  divide,
  divideToInteger,
  formatEstimate,
  formatMoney,
  formatPercent,
  formatShare,
  isCurrencyLabel,
  isLocale,
  moneyFormatter,
  parseAmount,
  sumMoney,
  toPlainDigits,
} from '../../../src/domain/money/amount.ts';
import { anyText } from '../../support/any-text.ts';

const money = (digits: string) => new Big(digits);
const digitsOf = (text: string) => {
  const amount = parseAmount({ text });
  return 'value' in amount ? toPlainDigits(amount.value) : `unreadable: ${amount.unreadable}`;
};

/** A random decimal number: its digits, and the same digits as a BigInt without the point. */
const scaled = (places: number) =>
  fc
    .bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    .map((units) => ({ units, digits: decimal(units, places) }));

function decimal(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const point = digits.length - places;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${places ? '.' : ''}${digits.slice(point)}`;
}

describe('the parser of amounts', () => {
  it.each([
    ['0', '0'],
    ['12', '12'],
    ['-12.50', '-12.5'],
    ['+7', '7'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    [' 3.10 ', '3.1'],
    ['1e3', '1000'],
    ['1.5E-3', '0.0015'],
    ['-2e+2', '-200'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
    ['-0', '0'],
    ['1e39', `1${'0'.repeat(39)}`],
    ['1e-60', `0.${'0'.repeat(59)}1`],
    ['1'.repeat(40), '1'.repeat(40)],
    [`${'1'.repeat(40)}.${'2'.repeat(60)}`, `${'1'.repeat(40)}.${'2'.repeat(60)}`],
    [`${'1'.repeat(30)}e10`, `${'1'.repeat(30)}${'0'.repeat(10)}`],
    [`${' '.repeat(219)}7`, '7'],
  ])('reads %s as exactly %s', (text, digits) => {
    expect(digitsOf(text)).toBe(digits);
  });

  it('keeps the digits as billing sent them', () => {
    expect(parseAmount({ text: ' 12.500e0 ' })).toMatchObject({ raw: '12.500e0' });
  });

  it.each([
    ...['12,5', '1 000', '1_000', '0x10', 'NaN', 'Infinity', '-', '.', 'e5', '1e', '1e5.0', '--1', '１２'],
    ...['12 EUR'],
  ])('rejects “%s” as unreadable, and keeps the text to show it', (text) => {
    expect(parseAmount({ text })).toEqual({ unreadable: text });
  });

  it('reads null and blank text as “no value”, and keeps objects as JSON', () => {
    expect(parseAmount({ missing: true })).toEqual({ unreadable: 'no value' });
    expect(parseAmount({ text: ' \n' })).toEqual({ unreadable: 'no value' });
    expect(parseAmount({ odd: '{"value":1}' })).toEqual({ unreadable: '{"value":1}' });
  });

  it.each([
    ...['1e40', '1e-61', '1e999', '1e-999', '1e1000000000'],
    '9'.repeat(41),
    `${'9'.repeat(30)}e11`,
    `0.${'9'.repeat(61)}`,
    `0.${'9'.repeat(50)}e-11`,
    '1'.repeat(1_000_000),
    `${' '.repeat(220)}7`,
  ])('rejects a number that is too large, too small or too long', (text) => {
    expect(parseAmount({ text })).toHaveProperty('unreadable');
  });

  it('keeps unreadable text as one short line without characters that reverse its direction', () => {
    const shown = parseAmount({ text: `a\n\tb\u202e${'😀'.repeat(500)}` });
    expect(shown).toEqual({ unreadable: `a b ${'😀'.repeat(36)}…` });
    expect(parseAmount({ text: 'x'.repeat(40) })).toEqual({ unreadable: 'x'.repeat(40) });
    expect(parseAmount({ text: 'x'.repeat(41) })).toEqual({ unreadable: `${'x'.repeat(40)}…` });
  });

  it('never throws, and keeps at most 41 characters of unreadable text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(500), fc.stringMatching(/^[-+.eE\d ]{1,130}$/)), (text) => {
        const amount = parseAmount({ text });
        if ('value' in amount) expect(toPlainDigits(amount.value).length).toBeLessThan(170);
        else expect(Array.from(amount.unreadable).length).toBeLessThanOrEqual(41);
      }),
    );
  });

  it('reads every decimal number exactly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }).chain((places) => fc.tuple(scaled(places), fc.constant(places))),
        ([{ units, digits }, places]) => {
          const amount = parseAmount({ text: digits });
          if (!('value' in amount)) throw new Error(`refused ${digits}`);
          expect(amount.raw).toBe(digits);
          expect(amount.value.times(new Big(10).pow(places)).toFixed()).toBe(units.toString());
        },
      ),
    );
  });
});

describe('the arithmetic of amounts', () => {
  it('is exact for sums that floating point gets wrong', () => {
    expect(toPlainDigits(sumMoney([money('0.1'), money('0.2')]))).toBe('0.3');
    expect(toPlainDigits(sumMoney([money('1e30'), money('0.000000000001'), money('-1e30')]))).toBe(
      '0.000000000001',
    );
  });

  it('adds decimal numbers as exactly as it adds whole numbers', () => {
    fc.assert(
      fc.property(fc.array(scaled(18), { maxLength: 40 }), (amounts) => {
        const exact = amounts.reduce((total, { units }) => total + units, 0n);
        const total = sumMoney(amounts.map(({ digits }) => money(digits)));
        expect(total.times('1e18').toFixed()).toBe(exact.toString());
      }),
    );
  });

  it('is exact to at least 20 significant digits in a division, even far below a cent', () => {
    expect(toPlainDigits(divide(money('1'), 3))).toMatch(/^0\.3{20,}$/);
    expect(toPlainDigits(divide(money('1e-50'), money('3')))).toMatch(/^0\.0{50}3{20,}$/);
    expect(toPlainDigits(divide(money('-10'), 4))).toBe('-2.5');
    expect(toPlainDigits(divide(money('2e40'), 3))).toMatch(/^6{40}\.6{19}7$|^6{40}\.6{19,}7$/);
  });

  it('refuses to divide by zero', () => {
    expect(() => divide(money('1'), 0)).toThrow();
  });

  it('rounds a quotient down to a whole number', () => {
    expect(divideToInteger(money('6.99999999999999999999999999999999999999'), money('1')).toFixed()).toBe(
      '6',
    );
    expect(divideToInteger(money('7'), money('1')).toFixed()).toBe('7');
  });
});

describe('the text of an amount', () => {
  it.each([
    ['0', '0.00'],
    ['-0', '0.00'],
    ['0.005', '0.0050'],
    ['-0.005', '−0.0050'],
    ['0.015', '0.02'],
    ['0.025', '0.02'],
    ['2.665', '2.66'],
    ['2.675', '2.68'],
    ['2.6750000000000000000001', '2.68'],
    ['2.665000000000000000000001', '2.67'],
    ['-2.675', '−2.68'],
    ['0.01', '0.01'],
    ['0.0149', '0.01'],
    ['0.0099999', '0.010'],
    ['-0.0099999', '−0.010'],
    ['0.001', '0.0010'],
    ['0.00125', '0.0012'],
    ['0.00135', '0.0014'],
    ['-0.004', '−0.0040'],
    ['1e-30', `0.${'0'.repeat(29)}10`],
    ['1234.5', '1,234.50'],
    ['999.995', '1,000.00'],
    ['-1234567.891', '−1,234,567.89'],
    ['123456789012345678901234567890.125', '123,456,789,012,345,678,901,234,567,890.12'],
  ])('for %s is “%s”', (digits, shown) => {
    expect(formatMoney(money(digits), 'en-US')).toBe(shown);
  });

  it.each([
    ['en-US', '1,234,567.80', '1,234.50', '−0.0012'],
    ['de-DE', '1.234.567,80', '1.234,50', '−0,0012'],
    ['fr-FR', '1\u202f234\u202f567,80', '1\u202f234,50', '−0,0012'],
    ['es-ES', '1.234.567,80', '1.234,50', '−0,0012'],
    ['es-LA', '1.234.567,80', '1.234,50', '−0,0012'],
    ['en-IN', '12,34,567.80', '1,234.50', '−0.0012'],
    ['ja-JP', '1,234,567.80', '1,234.50', '−0.0012'],
    ['ar-EG', '1,234,567.80', '1,234.50', '\u200e−0.0012'],
  ])('has the separators of the locale %s', (locale, million, thousand, little) => {
    expect(formatMoney(money('1234567.8'), locale)).toBe(million);
    expect(formatMoney(money('1234.5'), locale)).toBe(thousand);
    expect(formatMoney(money('-0.0012'), locale)).toBe(little);
  });

  it.each(['en_US', '', 'nonsense-locale-name', '💥', 'xx', 'xx-YY'])(
    'has the format of en-US if the locale is %j',
    (locale) => {
      expect(formatMoney(money('1234.5'), locale)).toBe('1,234.50');
    },
  );

  it('has a currency sign where the locale puts it', () => {
    expect(formatMoney(money('-1234.5'), 'en-US', '€')).toBe('−€1,234.50');
    expect(formatMoney(money('-1234.5'), 'de-DE', '€')).toBe('−1.234,50\u00a0€');
    expect(formatMoney(money('0.0012'), 'en-US', 'US$')).toBe('US$0.0012');
  });

  it('ends with the currency label if the label is a word', () => {
    expect(formatMoney(money('1234.5'), 'en-US', 'EUR')).toBe('1,234.50\u00a0EUR');
    expect(formatMoney(money('0'), 'de-DE', 'credits')).toBe('0,00\u00a0credits');
  });

  const locales = fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'en-IN', 'ja-JP');

  it('differs from the amount by at most half a cent in every locale', () => {
    const anyAmount = fc.integer({ min: 0, max: 36 }).chain(scaled);
    fc.assert(
      fc.property(anyAmount, locales, ({ digits }, locale) => {
        const value = money(digits);
        const shown = formatMoney(value, locale);
        const again = readBack(shown, locale);
        const allowed = value.abs().gte('0.01') ? '0.005' : value.abs().times('0.05').toFixed();
        expect(again.minus(value).abs().lte(allowed)).toBe(true);
        expect(shown).not.toMatch(/^[-−]0[.,]0+$/);
      }),
    );
  });

  it('has the locale’s thousands separators, however large the amount is', () => {
    const separators = { 'en-US': ',', 'de-DE': '.', 'fr-FR': '\u202f', 'ja-JP': ',' } as const;
    fc.assert(
      fc.property(scaled(0), fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'ja-JP'), ({ digits }, locale) => {
        const whole = formatMoney(money(digits), locale).slice(0, -3);
        expect(whole.replace('−', '-')).toBe(digits.replace(/\B(?=(\d{3})+$)/g, separators[locale]));
      }),
    );
  });
});

function readBack(shown: string, locale: string): Big {
  const decimalSign = locale === 'de-DE' || locale === 'fr-FR' ? ',' : '.';
  const plain = shown.replace('−', '-').replace(new RegExp(`[^-\\d${decimalSign}]`, 'gu'), '');
  return money(plain.replace(decimalSign, '.'));
}

describe('the text of an estimate', () => {
  it.each([
    ['886520.54', '886,500 EUR', '890,000 EUR'],
    ['-1234.5', '−1,234 EUR', '−1,200 EUR'],
    ['1000', '1,000 EUR', '1,000 EUR'],
    ['999.99', '999.99 EUR', '999.99 EUR'],
  ])('for %s is %s, or %s if only two digits are asked for', (digits, four, two) => {
    const write = (places?: number) =>
      formatEstimate(money(digits), moneyFormatter('en-US', 'EUR'), places).replace('\u00a0', ' ');
    expect([write(), write(2)]).toEqual([four, two]);
    expect(formatEstimate(money('9876543'), moneyFormatter('de-DE', '€'))).toBe('9.877.000\u00a0€');
  });
});

describe('a currency label', () => {
  it.each(['EUR', '', '€', 'US$', 'Kč', 'zł', '円', '₪', 'credits', 'x'.repeat(8)])(
    'may be “%s”',
    (label) => {
      expect(isCurrencyLabel(label)).toBe(true);
    },
  );

  it.each([
    ...['1', ',000.00', '.', 'E R', 'EUR ', '-', '+', '%', 'a_b', '<b>', '٣', '½', '²', 'x'.repeat(9)],
    ...[
      ...['\u202e', '\u2066', '\u200b', '\u00ad', '\ufeff', '\u3164', '\u115f', '\uffa0', '\u0000', '\n'],
      ...['\u0301', '﷼', 'د'],
    ],
  ])('may not be %j', (label) => {
    expect(isCurrencyLabel(label)).toBe(false);
  });

  it('leaves the digits of the amount unchanged', () => {
    const sign = fc
      .integer({ min: 0x20, max: 0x2ffff })
      .map((code) => String.fromCodePoint(code))
      .filter(isCurrencyLabel);
    const label = fc.array(sign, { minLength: 1, maxLength: 4 }).map((signs) => signs.join(''));
    fc.assert(
      fc.property(label, (text) => {
        const shown = formatMoney(money('30642.80'), 'en-US', text);
        expect(shown.replace(text, '').trim()).toBe('30,642.80');
      }),
    );
  });
});

it('the plain digits of an amount are exact, without an exponent or thousands separators', () => {
  expect(toPlainDigits(money('1e-20'))).toBe('0.00000000000000000001');
  expect(toPlainDigits(money('1.5e25'))).toBe('15000000000000000000000000');
  expect(toPlainDigits(money('-0'))).toBe('0');
  fc.assert(
    fc.property(scaled(25), ({ digits }) => {
      expect(money(toPlainDigits(money(digits))).eq(digits)).toBe(true);
    }),
  );
});

describe('a percentage change', () => {
  const shown = (current: string, before: string) => {
    const change = changeInPercent(money(current), money(before));
    return change && formatPercent(change, 'en-US');
  };

  it.each([
    ['112.4', '100', '▲ 12.4 %'],
    ['97', '100', '▼ 3.0 %'],
    ['100', '100', 'unchanged'],
    ['100.00', '100', 'unchanged'],
    ['0', '100', '▼ 100.0 %'],
    ['100.25', '100', '▲ 0.2 %'],
    ['100.35', '100', '▲ 0.4 %'],
    ['100.0001', '100', '▲ less than 0.1 %'],
    ['99.9999', '100', '▼ less than 0.1 %'],
    ['3000', '100', '▲ 2,900.0 %'],
  ])('to %s from %s is shown as %s', (current, before, text) => {
    expect(shown(current, before)).toBe(text);
  });

  it.each([
    ['5', '0'],
    ['0', '0'],
    ['5', '-5'],
    ['-5', '5'],
    ['-5', '-5'],
  ])('to %s from %s is not shown', (current, before) => {
    expect(shown(current, before)).toBeUndefined();
  });

  it('has the decimal sign of the locale', () => {
    expect(formatPercent(money('1012.44'), 'de-DE')).toBe('▲ 1.012,4 %');
  });
});

it.each([
  ['12.35', 'en-US', '12.4 %'],
  ['12.25', 'en-US', '12.2 %'],
  ['0', 'en-US', '0.0 %'],
  ['1234.5', 'de-DE', '1.234,5 %'],
])('a share of %s percent is written in %s as %s', (percent, locale, text) =>
  expect(formatShare(money(percent), locale)).toBe(text),
);

describe('a locale', () => {
  it.each(['en', 'de-DE', 'es-419', 'zh-Hant-TW'])('is accepted if Node knows its number format: %s', (tag) =>
    expect(isLocale(tag)).toBe(true),
  );
  it.each(['xx', '', 'xx-YY', 'en_US', '💥'])(
    'is refused if Node doesn’t know its number format: %j',
    (tag) => expect(isLocale(tag)).toBe(false),
  );
});
