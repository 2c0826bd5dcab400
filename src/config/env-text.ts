/** What `.env` says: `tally` sets its variables before it starts, and `tally init` adds what is missing. */
import { parseEnv } from 'node:util';

type Warn = (text: string) => void;

/** Editors on Windows begin it with a byte order mark, or write UTF-16. */
export function decodeEnv(bytes: Buffer): { readonly text: string; readonly isUtf8: boolean } {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return { text: new TextDecoder(encoding).decode(bytes), isUtf8: encoding === 'utf-8' };
}

/** A name and a value, also as a shell, YAML or a list in YAML has them. */
const ENTRY = /^\s*(?:(?:export|set|-)\s+)?([A-Za-z_][\w.-]*)\s*(?:=|:\s)\s*(.*)$/;

/** How the line after a whole value begins. */
const BEGINNING = /^\s*(?:#|$|export\s|set\s|-\s|[A-Z][A-Z\d_]*\s*[=:])/;

/** Where Node's parser meets a line of another kind, or a quote that isn't closed, it takes the lines after it along. */
function readableLines(text: string, warn: Warn): string {
  const lines = text.split(/\r\n?|\n/);
  const entries: string[] = [];
  /** The quote that ends a value of several lines, which is another program's. */
  let closing: string | undefined;
  for (const [at, line] of lines.entries()) {
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined;
      continue;
    }
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, value = ''] = ENTRY.exec(line) ?? [];
    const [quote = ''] = /^["'`]/.exec(value) ?? [];
    if (name === undefined) warn(`Line ${at + 1} of .env sets nothing. Write it as NAME=value.`);
    else if (quote === '' || value.includes(quote, 1)) entries.push(`${name}=${value}`);
    else if (!BEGINNING.test(lines[at + 1] ?? '')) closing = quote;
    else {
      warn(
        `${name} in line ${at + 1} of .env has a quote that isn’t closed. Close it, or write the value without.`,
      );
      entries.push(`${name}=${value.slice(1)}`);
    }
  }
  return entries.join('\n');
}

/** @param warn gets a sentence for each line that can't mean what it says */
export function parseEnvText(
  text: string,
  warn: Warn = () => undefined,
): Readonly<Record<string, string | undefined>> {
  const lines = readableLines(text, warn);
  const values = parseEnv(lines);
  for (const [name, value] of Object.entries(values))
    if (value === '' && new RegExp(`^${name}=["']?[^\\s#"']`, 'm').test(lines))
      warn(`${name} is in .env twice, and the later line sets it to nothing.`);
  return values;
}
