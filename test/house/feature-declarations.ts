/** What each feature declares with `declare module`, read from its source. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const SRC = join(ROOT, 'src');
export const FEATURES = readdirSync(join(SRC, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
export const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);

export const sourceOf = (path: string): string => readFileSync(join(SRC, path), 'utf8');
export const isOf = (feature: string, path: string): boolean =>
  path.startsWith(join('features', feature, '/'));

export interface Declared {
  readonly commands: readonly string[];
  readonly actions: readonly string[];
  /** Fields that the feature adds to `Feature`. */
  readonly fields: readonly string[];
}

/** What a feature declares with `declare module`. */
export function declaredBy(feature: string): Declared {
  const source = SOURCES.filter((path) => isOf(feature, path))
    .map(sourceOf)
    .join('\n');
  const keysOf = (name: string): string[] =>
    [...source.matchAll(new RegExp(`^ {2}interface ${name} \\{\\n([^}]*?)^ {2}\\}`, 'gms'))].flatMap(
      ([, body = '']) =>
        [...body.matchAll(/^ {4}(?:readonly )?(?:'([^']+)'|(\w+))[?:(]/gm)].map(
          ([, quoted, plain]) => quoted ?? plain ?? '',
        ),
    );
  return { commands: keysOf('Commands'), actions: keysOf('Actions'), fields: keysOf('Feature') };
}
