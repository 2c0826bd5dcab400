#!/usr/bin/env node
/** The executable that npm and npx run: as tally.ts, but a `.env` of the current folder is read first. */

/** As `engines` in package.json: an older Node can't load what follows. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Tally needs Node 20.19 or newer, and this is ${process.versions.node}: ${process.execPath}\n`,
  );
  process.exit(78);
}
try {
  (await import('./config/load-env-file.ts')).loadEnvFile();
  await import('./tally.ts');
} catch (error) {
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
  process.stderr.write(
    'Tally can’t load its code: this process may not open any more files (EMFILE). Allow more: `ulimit -n 65536` in the shell, `LimitNOFILE=65536` in a unit of systemd.\n',
  );
  process.exitCode = 1;
}
