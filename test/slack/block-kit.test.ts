import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipText, escapeMarkup } from '../../src/slack/block-kit/blocks.ts';
import { anyText } from '../support/any-text.ts';

describe('untrusted text', () => {
  it('cannot notify people or make links', () => {
    expect(escapeMarkup('<!channel> & <@U1> <https://evil.example|Slack>')).toBe(
      '&lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://evil.example|Slack&gt;',
    );
  });

  it('has all its angle brackets and ampersands escaped', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(escapeMarkup(text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
    );
  });

  it('loses its formatting, but keeps an underscore inside a word as it is', () => {
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

  it('is cut to a maximum length, but never inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = clipText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
        if (text.length <= limit) expect(cut).toBe(text);
      }),
    );
  });
});
