import { existsSync } from 'node:fs';

/** Sets the variables of a `.env` in the current folder that the environment does not set. Containers have none. */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(`.env can’t be read (${code}). Let this user read it, or remove it.\n`);
    process.exit(78);
  }
}
