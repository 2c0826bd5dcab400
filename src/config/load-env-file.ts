import { existsSync, readFileSync } from 'node:fs';
import { decodeEnv, parseEnvText } from './env-text.ts';

const warn = (text: string) => process.stderr.write(`${text}\n`);

/** As an editor on Windows, a page of another program or a download calls it. */
const OTHER_NAMES = ['.env.txt', '.env.local', '.env.production', 'env', 'env.txt'];
/** What Node reads before it runs this. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

function readEnvFile(): string {
  try {
    return decodeEnv(readFileSync('.env')).text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      const other = OTHER_NAMES.find((name) => existsSync(name));
      if (other !== undefined) warn(`There is no .env here. If ${other} is meant: mv ${other} .env`);
      else if (process.env.REDIS_URL === undefined && ['start', 'doctor'].includes(process.argv[2] ?? ''))
        warn(
          `REDIS_URL is not set, and ${process.cwd()} has no .env. Change to the folder that has it: cd …`,
        );
      return '';
    }
    if (code === 'EISDIR')
      warn(
        '.env is a folder, which Docker makes to mount a file that isn’t there. Put the file there: rmdir .env',
      );
    else warn(`.env can’t be read (${code}). Let this user read it: ls -ld .env; chown "$USER" .env`);
    process.exit(78);
  }
}

/** A `.env` of the current folder sets the variables that the environment does not. */
export function loadEnvFile(): void {
  for (const [name, value = ''] of Object.entries(parseEnvText(readEnvFile(), warn))) {
    const own = process.env[name];
    if (own === '' && value !== '')
      warn(`${name} is empty in the environment, which hides its value in .env. Unset it to use that value.`);
    if (OF_NODE.includes(name) && own === undefined)
      warn(
        `${name} in .env has no effect: Node reads it earlier. Set it in the environment: ${name}=… tally start`,
      );
    process.env[name] ??= value;
  }
}
