import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

/** How GitHub names the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** What a reader can follow: code that shows brackets is none of it. */
const withoutCode = (page: string): string =>
  page.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '``');

describe('the pages', async () => {
  const names = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'CODE_OF_CONDUCT.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...names,
  ];
  const texts = new Map(
    await Promise.all(pages.map(async (page) => [page, await readFile(page, 'utf8')] as const)),
  );

  const folders = ['src', 'test', 'sandbox', 'bench'];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((file) => `${folder}/${file}`),
    ),
  );
  const existing = [...files.flat(), ...(await readdir('.'))].map((file) => `/${file}`);

  it.each(pages)('name only source files that exist: %s', (page) => {
    const named = (texts.get(page) ?? '').matchAll(/`([\w./-]+\.[jt]sx?)`/g);
    const missing = [...named].filter(([, file]) => !existing.some((path) => path.endsWith(`/${file}`)));
    expect(missing.map(([, file]) => file)).toEqual([]);
  });

  it.each(pages)('have links that lead somewhere: %s', (page) => {
    const links = withoutCode(texts.get(page) ?? '').matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
    const broken = [...links].filter(([, path = '', anchor]) => {
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (anchor === undefined) return !existsSync(target);
      const headings = (texts.get(target) ?? '').matchAll(/^#+ (.+)$/gm);
      return ![...headings].some(([, heading = '']) => anchorOf(heading) === anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('are all in the index, each page once', () => {
    const linked = [...(texts.get('docs/README.md') ?? '').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
      ([, to]) => `docs/${to}`,
    );
    expect(linked.sort()).toEqual(names.filter((name) => name !== 'docs/README.md'));
    expect(texts.get('README.md')).toContain('](docs/README.md)');
  });

  it('are few enough on the first page: it has at most 120 lines', () =>
    expect((texts.get('README.md') ?? '').trimEnd().split('\n').length).toBeLessThanOrEqual(120));
});

describe('the metrics', () => {
  it('are all in docs/metrics.md', async () => {
    const text = await readFile('docs/metrics.md', 'utf8');
    const named = (await readFile('src/ops/metrics.ts', 'utf8')).matchAll(
      /'((?:tally|process|nodejs)_\w+)'/g,
    );
    const names = [...named].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the pictures', async () => {
  const names = ['README.md', ...(await readdir('docs')).filter((name) => name.endsWith('.md'))];
  const texts = await Promise.all(
    names.map((name) => readFile(name === 'README.md' ? name : `docs/${name}`, 'utf8')),
  );
  const pages = texts.join('\n');

  it('are all shown to somebody, and all that are shown are there', async () => {
    const shown = pages.matchAll(/(?:src|srcset)="(?:docs\/)?pictures\/([^"]+)"/g);
    expect([...new Set([...shown].map(([, name]) => name))].sort()).toEqual(
      (await readdir('docs/pictures')).sort(),
    );
  });

  it('come in a light and a dark form, each with a text alternative', () => {
    const all = [...pages.matchAll(/<picture>.*?<\/picture>/gs)].map(([picture]) => picture);
    expect(all.length).toBeGreaterThan(10);
    for (const picture of all) {
      const [, dark] = /dark\)" srcset="\S*pictures\/(\S+)-dark\.(?:png|webp)"/.exec(picture) ?? [];
      const [, alt, light] =
        /<img alt="([^"]+)" src="\S*pictures\/(\S+)\.(?:png|webp)" width="\d+"/.exec(picture) ?? [];
      expect([alt === undefined, light]).toEqual([false, dark]);
    }
    expect(pages).not.toMatch(/!\[[^\]]*\]\(\S*pictures/);
  });
});

it('the pages and compose.yaml name files and images of this version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const files = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const texts = await Promise.all(
    [...files, 'compose.yaml'].map(async (file) => [file, await readFile(file, 'utf8')] as const),
  );
  const other = texts.flatMap(([file, text]) =>
    [...text.matchAll(/\btally[-:](\d+\.\d+\.\d+)/g)].flatMap(([name, named]) =>
      // upgrade.md shows how a later one replaces this one.
      named === version || file === 'docs/upgrade.md' ? [] : [`${file}: ${name}`],
    ),
  );
  expect(other).toEqual([]);
});

describe('compose.yaml', () => {
  it('publishes no port beyond this machine: it is plain http, with the metrics', async () => {
    const { services } = parse(await readFile('compose.yaml', 'utf8')) as {
      services: Record<string, { ports?: string[] }>;
    };
    const ports = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(ports).not.toEqual([]);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });
});
