/**
 * npm's scripts load this before the bot: a `.env` beside package.json sets the variables that the environment does not.
 * Containers and the sandbox start the bot without it, so that only their environment counts.
 */
try {
  process.loadEnvFile();
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
