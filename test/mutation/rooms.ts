/** What is mutated, and by which tests it is tried: the fewer, the sooner each mutant is done. */
import { readdir, readFile } from 'node:fs/promises';

export interface MutatedRoom {
  /** Globs. */
  readonly mutate: readonly string[];
  /** Folders. */
  readonly tests: readonly string[];
  /** Files that start processes, whose code is not mutated, or that take long and try little. */
  readonly except?: RegExp;
  /** Leaves out tests that take longer than this in the first run, in ms. */
  readonly slowest?: number;
  /** For each mutant, leaves out the slowest of the tests that reach it, so that the rest take no longer than this, in ms. */
  readonly budget?: number;
  /** Leaves out the files that start a whole bot: for each mutant that would take too long. */
  readonly quickOnly?: true;
}

export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  domain: {
    mutate: ['src/domain/**/*.ts'],
    tests: ['test/domain'],
    except: /long-texts|forecast-accuracy/,
  },
  vault: { mutate: ['src/vault/*.ts'], tests: ['test/vault'], except: /reseal\.test/ },
  workspace: {
    mutate: ['src/workspace/**/*.ts'],
    tests: ['test/workspace', 'test/redis'],
    except: /acl|cluster|copy|one-slot|sentinel/,
    slowest: 2_000,
    budget: 4_000,
  },
  delivery: {
    mutate: ['src/delivery/**/*.ts'],
    tests: ['test/delivery'],
    except: /crash|watches-year/,
    slowest: 1_500,
    budget: 3_000,
  },
  slack: {
    mutate: [
      ...['command-buttons', 'subcommands'].map((file) => `src/slack/commands/${file}.ts`),
      ...['owned-kind'].map((file) => `src/slack/owned/${file}.ts`),
      ...[
        'error-reply',
        'csv-and-details',
        'message-calls',
        'reply',
        'reply-messages',
        'reply-modals',
        'response-url',
      ].map((file) => `src/slack/reply/${file}.ts`),
      ...['channels', 'payload', 'request', 'source', 'users'].map((file) => `src/slack/request/${file}.ts`),
      ...[
        'commands',
        'interactions',
        'rate-limiter',
        'register-listeners',
        'http-rejections',
        'signed-request',
      ].map((file) => `src/slack/server/${file}.ts`),
    ],
    tests: ['test/slack'],
    quickOnly: true,
  },
};

const STARTS_BOT = /\bstart(?:Listener|OAuth)?Bot\(/;

/** @returns paths from the root, sorted */
export async function testFilesOf({ tests, except, quickOnly }: MutatedRoom): Promise<readonly string[]> {
  const found = await Promise.all(
    tests.map(async (folder) => {
      const files = await readdir(folder, { recursive: true });
      return files.map((file) => `${folder}/${file}`);
    }),
  );
  const files = found
    .flat()
    .filter((file) => file.endsWith('.test.ts') && !except?.test(file))
    .sort();
  if (quickOnly !== true) return files;
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_, at) => !STARTS_BOT.test(sources[at] ?? ''));
}
