/**
 * Loaded before the bot where npm or npx runs it: a `.env` of the current folder sets the variables that the environment
 * does not. Containers and the sandbox start the bot without it, so that only their environment counts.
 */
const authoritiesAtStart = process.env.NODE_EXTRA_CA_CERTS;
try {
  process.loadEnvFile();
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
if (process.env.NODE_EXTRA_CA_CERTS !== authoritiesAtStart)
  process.stderr.write(
    'NODE_EXTRA_CA_CERTS in .env has no effect: Node reads it earlier. Set it in the environment: NODE_EXTRA_CA_CERTS=/path/ca.pem tally start\n',
  );
