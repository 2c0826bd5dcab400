/** What can precede a regular expression; otherwise a slash is a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|case|typeof|in|of))\s*$/;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

/** A line break, else the character itself. */
const characterOf = (escaped = ''): string => (escaped === 'n' ? '\n' : escaped);

/**
 * Returns the strings in TypeScript source: quoted strings, and templates with … for each expression. Comments, regular
 * expressions and module paths are left out.
 */
export function literalsIn(source: string): string[] {
  const code = source.replace(/^(?:import|export)\b[^;]*?\bfrom '[^']+';/gm, '');
  const literals: string[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0];
  };

  const readTemplate = (): void => {
    let text = '';
    for (at += 1; at < code.length && code[at] !== '`'; at += 1) {
      if (code[at] === '\\') text += characterOf(code[++at]);
      else if (code.startsWith('${', at)) {
        at += 2;
        readCode();
        text += '…';
      } else text += code[at];
    }
    at += 1;
    literals.push(text);
  };

  /** Reads to the end, or to the closing brace. */
  const readCode = (): void => {
    for (let depth = 0; at < code.length; ) {
      const start = code[at];
      if (start === '}' && depth === 0) return;
      if (start === '{') depth += 1;
      if (start === '}') depth -= 1;
      if (start === '`') {
        readTemplate();
        continue;
      }
      const string = match(STRING);
      if (string !== undefined)
        literals.push(string.slice(1, -1).replace(/\\(.)/g, (_, escaped: string) => characterOf(escaped)));
      const skipped =
        string ??
        match(COMMENT) ??
        (start === '/' && BEFORE_REGEX.test(code.slice(Math.max(0, at - 12), at)) ? match(REGEX) : undefined);
      at += skipped?.length || 1;
    }
  };

  readCode();
  return literals;
}
