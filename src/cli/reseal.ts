import { loadConfig } from '../config/config.ts';
import { formatResealCounts, resealAll } from '../ops/reseal.ts';
import { createKeyring } from '../vault/keyring.ts';
import { printLine, runResumable } from './resumable.ts';

const { keys, redisUrl } = loadConfig(process.env, printLine);
process.exitCode = await runResumable(async (connect) => {
  const redis = await connect(redisUrl);
  const counts = await resealAll({ redis, keyring: createKeyring(keys), printLine });
  const keyIds = keys.map(({ id }) => id);
  for (const line of formatResealCounts(keyIds, counts)) printLine(line);
  return counts.failed === 0;
});
