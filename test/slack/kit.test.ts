import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clipText,
  escapeMarkup,
  escapeMessageText,
  formatInstant,
  header,
  plainText,
} from '../../src/slack/kit/blocks.ts';
import { chart } from '../../src/slack/kit/charts.ts';
import { withoutRichBlocks } from '../../src/slack/kit/simplify-blocks.ts';
import { collapsedTable, table } from '../../src/slack/kit/tables.ts';
import { parseFieldValues } from '../../src/slack/request/form-fields.ts';
import { anyText } from '../support/any-text.ts';

it('a notification says mark-up in words, because it shows no blocks', () => {
  const read = (text: string) => escapeMessageText({ text, blocks: [] }).text;
  expect(read(`Snoozed until: ${formatInstant(Date.UTC(2026, 10, 30, 9, 5))}.`)).toBe(
    'Snoozed until: 2026-11-30 09:05 UTC.',
  );
  expect(read('Choose someone else for <@U0ANNA0001>, or <#C0FINANCE1|>.')).toBe(
    'Choose someone else for someone, or a channel.',
  );
  expect(read('a <b> & <!channel>')).toBe('a &lt;b&gt; &amp; &lt;!channel&gt;');
});

it('keeps a number in a table beside its sign and its unit, and lets other text wrap', () => {
  const { rows } = table([['web shop', '+ 1.00', '▲ 2.5 %', '115 days', 'not compared']]);
  expect(rows[0]?.map((cell) => 'text' in cell && cell.text)).toEqual([
    ...['web shop', '+\u00a01.00', '▲\u00a02.5\u00a0%', '115\u00a0days', 'not compared'],
  ]);
});

describe('outside text', () => {
  it('cannot notify people or make links', () => {
    expect(escapeMarkup('<!channel> & <@U1> <https://evil.example|Slack>')).toBe(
      '&lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://evil.example|Slack&gt;',
    );
  });

  it('never holds a bare angle bracket or an ampersand that is no entity', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(escapeMarkup(text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
    );
  });

  it('has its formatting marks separated, except an underscore inside a word, which Slack ignores', () => {
    for (const name of ['America/Los_Angeles', 'America/Argentina/Buenos_Aires', 'OS_TOKEN', 'US$ a_b_c'])
      expect(escapeMarkup(name)).toBe(name);
    for (const marked of [
      '_a_',
      '__a__',
      'a_ b',
      '_',
      '*a*',
      'a*b*c',
      '~a~',
      '`a`',
      '(_a_)',
      'a _b_ c',
      'é_é_é',
    ])
      expect(
        escapeMarkup(marked)
          .split(/\u200b[*_~`]/)
          .join(''),
      ).not.toMatch(/[*~`]|(?<!\w)_|_(?!\w)/);
  });

  it('is cut within the limit and never inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = clipText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
        if (text.length <= limit) expect(cut).toBe(text);
      }),
    );
  });

  it('becomes a dash where Slack would refuse an empty text', () => {
    expect(plainText('').text).toBe('–');
  });
});

describe('a chart', () => {
  it('is left out when there is nothing to draw or more than Slack takes', () => {
    const labels = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
    expect(chart('bar', 't', [], [])).toBeUndefined();
    expect(chart('bar', 't', labels(21), [])).toBeUndefined();
    expect(chart('bar', 't', labels(20), [])?.chart.axis_config.categories).toHaveLength(20);
  });
});

describe('a message that Slack refuses because of its table', () => {
  it('says the same in lines of equal width', () => {
    const plainer = withoutRichBlocks({
      text: 't',
      blocks: [
        table([
          ['Day', 'Amount'],
          ['Mon 16 Nov', '1.00'],
          ['Tue 17 Nov', '1,000.00'],
        ]),
      ],
    });
    expect(plainer?.blocks).toEqual([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_preformatted',
            border: 0,
            elements: [
              { type: 'text', text: 'Day           Amount\nMon 16 Nov      1.00\nTue 17 Nov  1,000.00' },
            ],
          },
        ],
      },
    ]);
  });

  it('leaves out a collapsed table', () => {
    const folded = collapsedTable('Each day (1)', [['Day'], ['Mon']]);
    expect(withoutRichBlocks({ text: 't', blocks: [header('T'), folded] })).toEqual({
      text: 't',
      blocks: [header('T')],
    });
  });

  it('has no simpler form if it has neither chart nor table', () => {
    expect(withoutRichBlocks({ text: 't', blocks: [] })).toBeUndefined();
  });
});

describe('a submission', () => {
  it('is read by block id, whatever kind of input it was', () => {
    expect(
      parseFieldValues({
        token: { value: { value: '  abc ' } },
        role: { value: { selected_option: { value: 'engineer' } } },
        project: { value: { value: null } },
        'zone:2': { zone: { selected_option: null } },
      }),
    ).toEqual({ token: 'abc', role: 'engineer', project: '', zone: '' });
  });

  it('has no text that is longer than Slack lets anyone type', () => {
    expect(parseFieldValues({ name: { value: { value: 'x'.repeat(512_000) } } }).name).toHaveLength(3_000);
  });
});
