/** What pages tell people to type: each command, its options, services and variables are there. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Variable, variables } from '../../src/config/variables.ts';
import { NAMES } from './environment.ts';

const PAGES = [
  'README.md',
  ...(await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

/** Lines of code blocks and code within sentences. A line that goes on after `\` is one. */
function codeIn(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```\w*\n(.*?)^ *```/gms)].map(([, block = '']) =>
    block.replaceAll('\\\n', ' '),
  );
  const spans = page.replace(/^ *```.*?^ *```/gms, '').matchAll(/`([^`\n]+)`/g);
  return [...blocks.flatMap((block) => block.split('\n')), ...[...spans].map(([, span = '']) => span)];
}
const texts = await Promise.all(
  PAGES.map(async (page) => [page, codeIn(await readFile(page, 'utf8'))] as const),
);
const code = texts.flatMap(([page, all]) => all.map((text) => ({ page, text })));

/** @returns the first groups of the pattern wherever it is in the code, with the page */
const find = (pattern: RegExp) =>
  code.flatMap(({ page, text }) => [...text.matchAll(pattern)].map(([, ...groups]) => ({ page, groups })));

const usage = execFileSync(process.execPath, ['--import', 'tsx', 'src/tally.ts', 'help'], {
  encoding: 'utf8',
});
const commands = [...usage.matchAll(/^ {2}([a-z-]+) /gm)]
  .map(([, name = '']) => name)
  .concat('help', '--version');
const compose = parse(await readFile('compose.yaml', 'utf8'));

describe('what the docs tell people to type', () => {
  it('is one of npm’s scripts', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const named = find(/\bnpm (?:run )?(?:--silent )?(?!ci\b|run\b|version\b|install\b|sbom\b)([a-z:]+)/g);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ groups: [name = ''] }) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it('is one of tally’s commands, with options that it has', async () => {
    const named = find(/(?:(?:^|\btally |-- )tally|\btally --) (?!tally\b)([a-z-]+)((?: [^`|<&;]*)?)/g);
    expect(named.length).toBeGreaterThan(20);
    for (const { page, groups } of named) {
      const [name = '', rest = ''] = groups;
      expect([page, commands.includes(name) ? '' : name]).toEqual([page, '']);
      const files = name === 'init' ? ['init', 'init-answers'] : [name];
      const known = files.filter((file) => existsSync(`src/cli/${file}.ts`));
      const sources = (known.length > 0 ? known : ['records']).map((file) =>
        readFile(`src/cli/${file}.ts`, 'utf8'),
      );
      const source = `${(await Promise.all(sources)).join('\n')} help`;
      for (const [, option = ''] of rest.matchAll(/(?:^| )--([a-z-]+)/g))
        expect([page, name, option, new RegExp(`\\b${option}\\b`).test(source)]).toEqual([
          page,
          name,
          option,
          true,
        ]);
    }
  });

  it('names services that compose.yaml has', () => {
    const named = find(/docker compose (?:exec|stop|start|logs|run|restart|up)((?: -{1,2}[\w-]+| [a-z]+)*)/g);
    const services = Object.keys(compose.services);
    const unknown = named.flatMap(({ page, groups: [words = ''] }) => {
      const [first] = words
        .replace(/ --name \w+/, '')
        .split(' ')
        .filter((word) => /^[a-z]/.test(word));
      return first === undefined || services.includes(first) ? [] : [[page, first]];
    });
    expect(unknown).toEqual([]);
  });

  it('names variables that Tally has, with values that it takes', () => {
    const prefix = /^(?:SLACK|LIMIT|LOG|BILLING|IDENTITY|REDIS|ENCRYPTION|TRUSTED|PUBLIC|SHUTDOWN)_/;
    // Of tally check-billing, and of the tests.
    const others = ['BILLING_TOKEN', 'REDIS_SERVER_BINARY'];
    const named = find(/\b([A-Z]+(?:_[A-Z]+)+|PORT)\b(?:=(?:"([^"]*)"|([^\s"'),;]*)))?/g).filter(
      ({ groups: [name = ''] }) =>
        (prefix.test(name) || NAMES.includes(name as Variable)) && !others.includes(name),
    );
    expect(named.length).toBeGreaterThan(100);
    const wrong = named.filter(({ groups: [name, quoted, plain] }) => {
      const value = quoted ?? plain;
      const schema = variables.shape[name as Variable];
      if (schema === undefined) return true;
      // What is left out, printed by another command or a placeholder.
      if (value === undefined || value === '' || /[…$<]|\bpassword\b|^\.\.\./.test(value)) return false;
      return !schema.safeParse(value).success;
    });
    expect(wrong).toEqual([]);
  });
});
