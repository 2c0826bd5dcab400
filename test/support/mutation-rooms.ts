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
}

export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  domain: {
    mutate: ['src/domain/**/*.ts'],
    tests: ['test/domain'],
    except: /long-texts|forecast-accuracy/,
  },
  vault: { mutate: ['src/vault/*.ts'], tests: ['test/vault'], except: /reseal\.test/ },
  workspace: {
    mutate: ['src/workspace/*.ts'],
    tests: ['test/workspace', 'test/redis'],
    except: /acl|cluster|copy|one-slot|sentinel/,
    slowest: 2_000,
    budget: 4_000,
  },
  delivery: {
    mutate: ['src/delivery/*.ts'],
    tests: ['test/delivery'],
    except: /crash|watches-year/,
    slowest: 500,
    budget: 1_000,
  },
  slack: {
    mutate: [
      'src/slack/{authorize,channels,command-buttons,command-runner,error-blocks,error-reply,events}.ts',
      'src/slack/{interactions,listeners,output-reply,ownership,rate-limit,register-listeners,reply-target}.ts',
      'src/slack/{reply,request-body,request-source,request,response-url,signature,subcommands,users}.ts',
    ],
    tests: ['test/slack'],
    except: /client-for|install|loading|server|socket-mode|throttle|time-zones|uninstall|web-client/,
  },
};

/** What starts a whole bot takes long. */
const STARTS_BOT = /\bstart\w*(?:Bot|Tally)\(/;

/** @returns paths from the root, sorted, with the quick ones first: what they notice needs no slow one */
export async function testFilesOf({ tests, except }: MutatedRoom): Promise<readonly string[]> {
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
  const isSlow = await Promise.all(files.map(async (file) => STARTS_BOT.test(await readFile(file, 'utf8'))));
  return [...files.filter((_, at) => !isSlow[at]), ...files.filter((_, at) => isSlow[at])];
}
