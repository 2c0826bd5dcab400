/**
 * Loaded ahead of the bot by npm's scripts: a `.env` beside package.json fills in what the environment leaves out. A
 * container and the sandbox start the bot without this, so that nothing but their environment counts.
 */
try {
  process.loadEnvFile();
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
