import type {
  RichTextBlock,
  RichTextElement,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
  TextObject,
} from '@slack/types';

/**
 * Parses mrkdwn to rich text, which the library renders exactly. The library itself treats mrkdwn as ordinary
 * Markdown: it decodes `&lt;!channel&gt;` before it looks for mentions, and drops lines that start with `#`.
 */
export function richTextOf(text: TextObject, writeDate: WriteDate): RichTextBlock {
  const elements =
    text.type === 'mrkdwn'
      ? paragraphs(text.text, writeDate)
      : [section(plain(text.text, text.emoji !== false))];
  return { type: 'rich_text', elements };
}

/** Text without markup. */
export const literal = (text: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [section([{ type: 'text', text }])],
});

/** Formats an instant (seconds since the epoch) with a format such as `{date_short} {time}`. */
type WriteDate = (format: string, seconds: number) => string;
type Style = { bold?: true; italic?: true; strike?: true; code?: true };
type Part = RichTextSection | RichTextQuote | RichTextPreformatted;

const section = (elements: RichTextElement[]): RichTextSection => ({ type: 'rich_text_section', elements });

const EMOJI = /(?<![\w:]):(\+1|-1|[a-z][\w+-]*):(?!\w)/g;

function plain(text: string, emoji: boolean): RichTextElement[] {
  return emoji
    ? split(text, EMOJI, (match) => ({ type: 'emoji', name: match[1] ?? '' }))
    : [{ type: 'text', text }];
}

/** Splits a text into fenced code, quotes and sections. */
function paragraphs(text: string, writeDate: WriteDate): Part[] {
  const pieces = text.split(/```\n?([\s\S]+?)\n?```\n?/);
  return pieces.flatMap((piece, index): Part[] => {
    if (index % 2)
      return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: decode(piece) }] }];
    return piece ? lines(piece, writeDate) : [];
  });
}

const QUOTED = /^(?:>|&gt;) ?/;

function lines(text: string, writeDate: WriteDate): Part[] {
  const runs: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const quoted = QUOTED.test(line);
    const last = runs.at(-1);
    const words = line.replace(quoted ? QUOTED : '', '');
    if (last?.quoted === quoted) last.lines.push(words);
    else runs.push({ quoted, lines: [words] });
  }
  return runs.map(({ quoted, lines }) => {
    const elements = inline(lines.join('\n'), {}, writeDate);
    return quoted ? { type: 'rich_text_quote', elements } : section(elements);
  });
}

const INLINE = new RegExp(
  [
    '<([^<>\\s][^<>]*)>',
    '`([^`\\n]+)`',
    '(?<![\\w*])\\*(?=\\S)([^*\\n]*?\\S)\\*(?![\\w*])',
    '(?<!\\w)_(?=\\S)([^_\\n]*?\\S)_(?!\\w)',
    '(?<![\\w~])~(?=\\S)([^~\\n]*?\\S)~(?![\\w~])',
    EMOJI.source,
    '(https?:\\/\\/[^\\s<>|]*[^\\s<>|.,;:!?)])',
  ].join('|'),
  'g',
);

function inline(text: string, style: Style, writeDate: WriteDate): RichTextElement[] {
  const word = (words: string, more: Style = {}): RichTextElement => {
    const all = { ...style, ...more };
    return { type: 'text', text: decode(words), ...(Object.keys(all).length > 0 && { style: all }) };
  };
  return split(
    text,
    INLINE,
    ([whole, angle, code, bold, italic, strike, emoji, url]) => {
      if (angle) return angleBracket(angle, style, writeDate);
      if (code) return word(code, { code: true });
      if (bold) return inline(bold, { ...style, bold: true }, writeDate);
      if (italic) return inline(italic, { ...style, italic: true }, writeDate);
      if (strike) return inline(strike, { ...style, strike: true }, writeDate);
      if (emoji) return { type: 'emoji', name: emoji };
      return url ? { type: 'link', url: decode(url), text: decode(url), style } : word(whole);
    },
    word,
  );
}

/** `<@U1>`, `<#C1|name>`, `<!here>`, `<!date^…>`, `<https://…|words>`. */
function angleBracket(inside: string, style: Style, writeDate: WriteDate): RichTextElement {
  const [target = '', label] = inside.split('|', 2);
  const [, sign, id = ''] = /^([@#!])(.*)$/.exec(target) ?? [];
  if (sign === '@') return { type: 'user', user_id: id, style };
  if (sign === '#') return { type: 'channel', channel_id: id, style };
  if (sign === '!') return specialMention(id, label ?? '', style, writeDate);
  return { type: 'link', url: decode(target), text: decode(label ?? target), style };
}

function specialMention(command: string, label: string, style: Style, writeDate: WriteDate): RichTextElement {
  const [name, first = '', format = '', url] = command.split('^');
  if (name === 'here' || name === 'channel' || name === 'everyone') return { type: 'broadcast', range: name };
  if (name === 'subteam') return { type: 'usergroup', usergroup_id: first };
  const seconds = Number(first);
  const isDate = name === 'date' && first !== '' && Number.isFinite(seconds);
  const text = isDate ? writeDate(decode(format), seconds) : decode(label || command);
  return url ? { type: 'link', url: decode(url), text, style } : { type: 'text', text, style };
}

const decode = (text: string) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

/** Splits a text at the matches of a global pattern: `read` converts matches, `between` the text between them. */
function split(
  text: string,
  pattern: RegExp,
  read: (match: RegExpMatchArray) => RichTextElement | RichTextElement[],
  between: (words: string) => RichTextElement = (words) => ({ type: 'text', text: words }),
): RichTextElement[] {
  const found: RichTextElement[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) found.push(between(text.slice(from, match.index)));
    found.push(...[read(match)].flat());
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push(between(text.slice(from)));
  return found;
}
