/**
 * Loaded before the bot where npm or npx runs it: a `.env` of the current folder sets the variables that the environment
 * does not. Containers and the sandbox start the bot without it, so that only their environment counts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const warn = (text: string) => process.stderr.write(`${text}\n`);

/** Editors on Windows begin it with a byte order mark, or write UTF-16. */
function readEnvFile(): string {
  try {
    const bytes = readFileSync('.env');
    const mark = bytes.toString('hex', 0, 2);
    const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
    return new TextDecoder(encoding).decode(bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      // As an editor on Windows names it.
      if (existsSync('.env.txt')) warn('There is no .env here. If .env.txt is meant: mv .env.txt .env');
      return '';
    }
    warn(`.env can’t be read (${code}). Let this user read it: ls -ld .env; chown "$USER" .env`);
    process.exit(78);
  }
}

/** A name and a value, also as a shell, YAML or a list in YAML has them. */
const ENTRY = /^\s*(?:(?:export|set|-)\s+)?([A-Za-z_][\w.-]*)\s*(?:=|:\s)\s*(.*)$/;

/** How the line after a whole value begins. */
const BEGINNING = /^\s*(?:#|$|export\s|set\s|-\s|[A-Z][A-Z\d_]*\s*[=:])/;

/** Where Node's parser meets a line of another kind, or a quote that isn't closed, it takes the lines after it along. */
function readableLines(text: string): string {
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

const text = readableLines(readEnvFile());
for (const [name, value = ''] of Object.entries(parseEnv(text))) {
  const own = process.env[name];
  if (own === '' && value !== '')
    warn(`${name} is empty in the environment, which hides its value in .env. Unset it to use that value.`);
  if (value === '' && new RegExp(`^${name}=["']?[^\\s#"']`, 'm').test(text))
    warn(`${name} is in .env twice, and the later line sets it to nothing.`);
  if (name === 'NODE_EXTRA_CA_CERTS' && own === undefined)
    warn(
      'NODE_EXTRA_CA_CERTS in .env has no effect: Node reads it earlier. Set it in the environment: NODE_EXTRA_CA_CERTS=/path/ca.pem tally start',
    );
  process.env[name] ??= value;
}
