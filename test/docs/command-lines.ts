/** The command lines of the pages: what stands in their `sh` blocks, and code within sentences that begins with a program. */
import { readdir, readFile } from 'node:fs/promises';

/** CHANGELOG.md has commands of its time. */
const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...(await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

export interface CommandLine {
  readonly page: string;
  readonly text: string;
}

interface Block extends CommandLine {
  /** After the three backticks; empty where none is named. */
  readonly language: string;
}

const BLOCK = /^( *)```([\w-]*)\n(.*?)^ *```/gms;

const texts = await Promise.all(PAGES.map(async (page) => [page, await readFile(page, 'utf8')] as const));

/** Without the indentation of the list that they are in. */
export const blocks: readonly Block[] = texts.flatMap(([page, text]) =>
  [...text.matchAll(BLOCK)].map(([, indent = '', language = '', block = '']) => ({
    page,
    language,
    text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  })),
);

/** Code within sentences and tables. */
export const spans: readonly CommandLine[] = texts.flatMap(([page, text]) =>
  [...text.replace(BLOCK, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => ({
    page,
    text: span.replaceAll('\\|', '|'),
  })),
);

/** The commands of a shell's line or script, each as its words, without what sets variables and says where output goes. */
export function commandsIn(script: string): readonly (readonly string[])[] {
  const nested = [...script.matchAll(/\$\(([^)]*)\)/g)].flatMap(([, inner = '']) => commandsIn(inner));
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  // Quoted text, a continued line, a comment, a redirection, what ends a command, a space, anything else.
  const parts =
    /'([^']*)'|"((?:\\.|[^"\\])*)"|(\\\n)|((?<=^|\s)#[^\n]*)|(\d?[<>]&?\s*[^\s;|&]+)|([|&;\n]+)|(\s+)|(\\.|[^\s'"|&;<>\\]+)/g;
  for (const [, single, double, , , , end, space, plain] of script.matchAll(parts)) {
    const text = single ?? double ?? plain;
    if (text !== undefined) word = `${word ?? ''}${text}`;
    else if (space !== undefined) endWord();
    else if (end !== undefined) {
      endWord();
      commands.push([]);
    }
  }
  endWord();
  return [...commands.map(withoutAssignments), ...nested].filter(([program]) => program !== undefined);
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^(?:[A-Z_]+=.*|[{}]|\w+\(\)|…)$/s.test(word));
  return first === -1 ? [] : words.slice(first).filter((word) => word !== '}');
}

/** Programs whose lines test/operator-commands.test.ts runs, where the machine has them. */
export const RUN: readonly string[] = [
  ...['curl', 'getent', 'ip', 'openssl', 'redis-cli', 'sha256sum', 'ss'],
];
