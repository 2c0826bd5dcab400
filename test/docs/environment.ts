/** Makes the tables of variables and .env.example from src/config. */
import { ConfigError, parseConfig } from '../../src/config/config.ts';
import { type Variable, variables } from '../../src/config/variables.ts';
import { code, type Tables } from './tables.ts';
import { DESCRIPTIONS, SECTIONS } from './variable-descriptions.ts';

export const NAMES = Object.keys(variables.shape) as Variable[];
const SECTION_NAMES = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[];
const namesIn = (section: string) => NAMES.filter((name) => DESCRIPTIONS[name].section === section);

const REQUIRED: readonly string[] = missing();
function missing(): string[] {
  try {
    parseConfig({});
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ name }) => name);
    throw error;
  }
}

function defaultOf(name: Variable): string | undefined {
  const value: unknown = variables.shape[name].safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  return String(value);
}

export function formOf(name: Variable): string {
  const [issue] = variables.shape[name].safeParse('two words').error?.issues ?? [];
  return issue?.message.split('\n')[1] ?? '';
}

const HEAD = ['name', 'what it is', 'default or example'];
const cell = (text: string): string => text.replaceAll('|', '\\|');

export const ENVIRONMENT_TABLES: Tables = Object.fromEntries(
  SECTION_NAMES.map((section) => [
    section,
    [
      HEAD,
      ...namesIn(section).map((name) => {
        const standard = defaultOf(name);
        const example = code([DESCRIPTIONS[name].example]);
        const value = standard === undefined ? `e.g. ${example}` : code([standard]);
        return [
          code([name]),
          DESCRIPTIONS[name].what,
          REQUIRED.includes(name) ? `required: ${example}` : value,
        ].map(cell);
      }),
    ],
  ]),
);

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\(([\w-]+\.md)[^)]*\)/g, (_, text: string, page: string) =>
      page === text ? `docs/${page}` : `${text} (docs/${page})`,
    )
    .replaceAll(/`|\*\*/g, '');

/**
 * A required variable is empty; every other is a comment. In a container, an empty value would replace the image's.
 */
function exampleOf(name: Variable): string {
  const { what, example } = DESCRIPTIONS[name];
  const isKnown = !example.includes('…');
  const sentences = [what, ...(isKnown ? [] : [formOf(name)])].map(plain);
  const line = REQUIRED.includes(name)
    ? `${name}=${isKnown ? example : ''}`
    : `#${name}=${defaultOf(name) ?? example}`;
  const text = sentences.join('. ').replace(/(?<![.…])$/, '.');
  return [`# ${text.charAt(0).toUpperCase()}${text.slice(1)}`, line].join('\n');
}

export const ENV_EXAMPLE = [
  '# Copy to .env and fill in what is empty. docs/environment.md explains each variable. The bot names wrong values and doesn’t start.',
  ...SECTION_NAMES.map((section) =>
    [`# --- ${SECTIONS[section]}`, ...namesIn(section).map(exampleOf)].join('\n'),
  ),
].join('\n\n');
