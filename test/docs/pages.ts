/** The project's own pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

export const markdownIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => normalize(join(folder, name)));
export const PAGES = new Map(
  ['.', 'docs'].flatMap(markdownIn).map((page) => [page, readFileSync(page, 'utf8')] as const),
);
export const TEXTS = [...PAGES].map(([page, text]) => ({ page, text }));

export const BLOCK = /^( *)```(\w*)\n(.*?)^ *```/gms;
export const blocksIn = (language: string): readonly string[] =>
  TEXTS.flatMap(({ text }) => [...text.matchAll(BLOCK)])
    .filter(([, , name]) => name === language)
    .map(([, indent = '', , block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
