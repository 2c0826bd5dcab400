/** Sentences with a number, outside of code and links: each is held against what the number is taken from. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isProjectId } from '../../src/domain/product.ts';
import { fingerprintOf, MAX_CONNECTIONS } from '../../src/workspace/credentials/connection-record.ts';
import { isAlias, MAX_PROJECTS } from '../../src/workspace/projects/project-record.ts';
import { MAX_AUDIT_ENTRIES } from '../../src/workspace/record/audit.ts';
import { MAX_MANAGER_GROUPS, MAX_MANAGERS } from '../../src/workspace/settings.ts';
import { constantIn, measured, NODE } from './constants.ts';
import { OPERATOR_NUMBERS } from './operator-numbers.ts';
import { USER_NUMBERS } from './user-numbers.ts';

const commands = measured('commands a second, 32 at once');

/** @returns the shortest and the longest run of a character that passes */
function lengths(passes: (text: string) => boolean, character: string): string {
  const all = Array.from({ length: 100 }, (_, at) => at + 1).filter((length) =>
    passes(character.repeat(length)),
  );
  return `${all.at(0)} to ${all.at(-1)}`;
}

const soon = await constantIn('workspace/credentials/expiry.ts', 'SOON_DAYS');
const auditPage = await constantIn('features/audit/index.ts', 'A_PAGE');
const steps: number[] = JSON.parse(await constantIn('delivery/reminders/reminder-plan.ts', 'REMINDER_DAYS'));
const startTime = (await constantIn('features/schedules/form-state.ts', 'DEFAULT_TIME')).replaceAll("'", '');
const name = `${lengths(isAlias, 'a')} letters, digits and hyphens`;
const fingerprint = `first ${fingerprintOf('').length} hexadecimal digits`;

/** Per page, the phrases with numbers, each made of its source. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  'README.md': [
    `Node ${NODE} or newer`,
    // A button of the sandbox.
    'Skip to 09:00',
    `${Math.floor(commands / 100) * 100} commands a second`,
    `${measured('idle memory')} MB when idle`,
  ],
  'docs/README.md': [],
  'docs/sandbox.md': [],
  'docs/first-workspace.md': [`Node ${NODE} or newer`],
  'docs/projects.md': [
    `${lengths(isProjectId, '1')} digits`,
    `have ${MAX_PROJECTS} names`,
    name,
    // The button for LAST_7_DAYS.
    'Spend, last 7 days',
  ],
  'docs/connections.md': [
    `A workspace can have ${MAX_CONNECTIONS}.`,
    name,
    `at ${startTime} in your time zone`,
    `expire within ${soon} days`,
    `${fingerprint} of the token's SHA-256`,
    `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)} days before`,
  ],
  'docs/home.md': [`expires within ${soon} days`],
  'docs/settings.md': [`up to ${MAX_MANAGERS}, besides`, `up to ${MAX_MANAGER_GROUPS} user groups`],
  'docs/audit.md': [
    `newest ${auditPage} changes`,
    `next ${auditPage}`,
    `first ${await constantIn('features/audit/index.ts', 'MOST_NAMED')} people and channels`,
    `${fingerprint} of the SHA-256`,
    `newest ${MAX_AUDIT_ENTRIES.toLocaleString('en')} entries`,
  ],
  'docs/install.md': [],
  'docs/marketplace.md': [],
  'docs/glossary.md': [],
  'CONTRIBUTING.md': [],
  'SECURITY.md': [],
  ...USER_NUMBERS,
  ...OPERATOR_NUMBERS,
};

const proseOf = (page: string): string =>
  page
    // Tables that are made of tested examples.
    .replace(/<!-- examples.*?end of examples -->/gs, '')
    .replace(/^ *```.*?^ *```/gms, '')
    .replace(/<[^>]+>/g, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    // The numbers of a list.
    .replace(/^\d+\. /gm, '')
    .replace(/[[\]*_]/g, '')
    .replace(/\s+/g, ' ');

const pages = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);

describe('the numbers of a page', () => {
  it('are looked for on every page', () =>
    expect(pages.filter((page) => NUMBERS[page] === undefined)).toEqual([]));

  it.each(Object.entries(NUMBERS))('are all listed with their source: %s', async (page, phrases) => {
    const prose = proseOf(await readFile(page, 'utf8'));
    expect(phrases.filter((phrase) => !prose.includes(phrase))).toEqual([]);
    const rest = phrases.reduce((text, phrase) => text.replaceAll(phrase, ''), prose);
    expect([...rest.matchAll(/.{0,40}\d.{0,40}/g)].map(([place]) => place)).toEqual([]);
  });
});
