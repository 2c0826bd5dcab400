/**
 * Loaded before the bot where npm or npx runs it: a `.env` of the current folder sets the variables that the environment
 * does not. Containers and the sandbox start the bot without it, so that only their environment counts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { decodeEnv, parseEnvText } from './env-text.ts';

const warn = (text: string) => process.stderr.write(`${text}\n`);

function readEnvFile(): string {
  try {
    return decodeEnv(readFileSync('.env')).text;
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

for (const [name, value = ''] of Object.entries(parseEnvText(readEnvFile(), warn))) {
  const own = process.env[name];
  if (own === '' && value !== '')
    warn(`${name} is empty in the environment, which hides its value in .env. Unset it to use that value.`);
  if (name === 'NODE_EXTRA_CA_CERTS' && own === undefined)
    warn(
      'NODE_EXTRA_CA_CERTS in .env has no effect: Node reads it earlier. Set it in the environment: NODE_EXTRA_CA_CERTS=/path/ca.pem tally start',
    );
  process.env[name] ??= value;
}
