import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { literalsIn } from './support/source-literals.ts';

/** Words that Tally no longer uses in a sentence; docs/glossary.md has the ones to use instead. */
const RETIRED: readonly RegExp[] = [
  /\blaps(?:e|es|ed|ing)\b/i,
  /\bwhoever\b/i,
  /\bplease (?:do|don|leave|try|use|type|see|ask|choose|report)/i,
  /\bstrangers?\b/i,
  /\bmeanwhile\b/i,
  /\bas things are\b/i,
  /\bstands? there\b/i,
  /\bis nothing that\b/i,
  /\bis no [^.]* that Tally knows\b/i,
  /\bis no command of\b/i,
  /\bregister(?:ed|ing)? (?:it )?anew\b/i,
  /\bwithdrawn\b/i,
  /\btakes? tokens back\b/i,
  /\bgiv(?:en|ing|es) back\b/i,
  /\bas one\b/i,
  /\bother organizations?\b/i,
  /\bthose who\b/i,
  /\bgoes on after\b/i,
  /, perhaps\b/i,
  /\bis there(?: twice|:)/i,
  /\bset to nothing\b/i,
  /\bthe right one\b/i,
  /\bmend(?:s|ed|ing)?\b/i,
  /\bweakness(?:es)?\b/i,
  /\bgoes on with(?:out)?\b/i,
  /\bremembers no\b/i,
  /\bstays? shut\b/i,
  /\bwithout other words\b/i,
];

/** A single word is a name in a stored record, such as the role `stranger`. */
const sentencesIn = (path: string): string[] =>
  literalsIn(readFileSync(path, 'utf8')).filter((text) => /\S\s+\S/.test(text));

/** Markdown and YAML are read by people from the first line to the last, except for code and stored names. */
const proseOf = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, '')
    .split(/\n{2,}/);

const retiredIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => RETIRED.flatMap((word) => word.exec(text)?.[0] ?? []));

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`);
/** The glossary names the retired words in order to retire them. */
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md', 'manifest.yml'],
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md') && name !== 'glossary.md')
    .map((name) => `docs/${name}`),
  ...['.env.example', 'compose.yaml', 'deploy/prometheus/tally.rules.yaml', 'deploy/grafana/tally.json'],
  ...readdirSync('.github/ISSUE_TEMPLATE').map((name) => `.github/ISSUE_TEMPLATE/${name}`),
];

describe('the texts of a source file', () => {
  it('are its strings and templates, not its comments, names, patterns and paths', () => {
    const source = [
      "import { lapse } from './a b.ts'; // 'a comment'",
      `const whoever = /it's "a pattern"/.test(\`one \${say("two", \`three \${4}\`)} five\`); /* "no" */`,
      "const more = 'it\\'s six' + '\\nseven' + 10 / 2;",
    ].join('\n');
    expect(literalsIn(source)).toEqual(['two', 'three …', 'one … five', "it's six", '\nseven']);
  });
});

describe('a retired word', () => {
  it.each(SOURCES)('is in no sentence of %s', (path) => {
    expect(retiredIn(sentencesIn(path))).toEqual([]);
  });

  it.each(PAGES)('is not on the page %s', (path) => {
    expect(retiredIn(proseOf(path))).toEqual([]);
  });
});
