/**
 * Loaded before the bot where npm or npx runs it: a `.env` of the current folder sets the variables that the environment
 * does not. Containers and the sandbox start the bot without it, so that only their environment counts.
 */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const warn = (text: string) => process.stderr.write(`${text}\n`);

/** Editors on Windows begin it with a byte order mark, or write UTF-16. */
function readEnvFile(): string {
  try {
    const bytes = readFileSync('.env');
    const mark = bytes.toString('hex', 0, 2);
    return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(
      bytes,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    warn(`.env can’t be read (${code}). Let this user read it: ls -ld .env; chown "$USER" .env`);
    process.exit(78);
  }
}

const text = readEnvFile();
for (const [name, value = ''] of Object.entries(parseEnv(text))) {
  const own = process.env[name];
  if (own === '' && value !== '')
    warn(`${name} is empty in the environment, which hides its value in .env. Unset it to use that value.`);
  if (value === '' && new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=[ \\t]*["']?[^\\s#"']`, 'm').test(text))
    warn(`${name} is in .env twice, and the later line sets it to nothing.`);
  if (name === 'NODE_EXTRA_CA_CERTS' && own === undefined)
    warn(
      'NODE_EXTRA_CA_CERTS in .env has no effect: Node reads it earlier. Set it in the environment: NODE_EXTRA_CA_CERTS=/path/ca.pem tally start',
    );
  process.env[name] ??= value;
}
