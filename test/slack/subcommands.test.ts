import { beforeEach, describe, expect, it } from 'vitest';
import { Failure, InvalidWord } from '../../src/domain/failure/index.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import type { CommandHandler } from '../../src/slack/server/handlers.ts';
import type { Right } from '../../src/workspace/roles-and-rights.ts';
import { requestOf, workspaceOf } from '../support/records.ts';

/** `verb|text|typed` of each subcommand that ran, and the replies. */
let ran: string[];
beforeEach(() => {
  ran = [];
});

const SECRET = 'gAAAAABk1234567890abcdefXYZ';
/** A word that could be a secret, without looking like one. */
const PERHAPS = 'a1b2c3d4e5';

const handler = (verb: string, right: Right = 'ask'): CommandHandler => ({
  right,
  run: async (text, _, typed) => void ran.push(`${verb}|${text}|${typed}`),
});
const askForProject: CommandHandler['run'] = async (text, _, typed) => {
  ran.push(`projects|${text}|${typed}`);
  if (text.startsWith('bad')) throw new InvalidWord('bad', 'is wrong', 'Type good.', 'projects good');
  if (text.startsWith('fail')) throw new Failure('token-rejected', { service: 'billing' });
};
const ROUTES = routeSubcommands({
  help: {
    ...handler('help'),
    needs: (text) => (text === 'projects' ? { right: 'workspaceUser' } : {}),
  },
  connect: {
    right: 'manage',
    opensForm: true,
    run: async (text, _, typed) => void ran.push(`connect|${text}|${typed}`),
  },
  projects: {
    right: 'ask',
    needs: (text) => ({
      ...(text.includes('add') && { right: 'member' }),
      opensForm: text === 'add',
    }),
    help: () => ({ text: 'About projects', blocks: [] }),
    run: askForProject,
  },
});
const request = (...aliases: readonly string[]) =>
  requestOf({
    workspace: workspaceOf({ projects: aliases.map((alias) => ({ alias })) }),
    reply: { update: async ({ text }) => void ran.push(`answered ${text}`) },
  });
const run = async (text: string, ...aliases: readonly string[]): Promise<unknown> =>
  ROUTES.run(text, request(...aliases)).then(
    () => ran.splice(0),
    (error: unknown) => error,
  );

describe('the first word of a command', () => {
  it.each([
    ['', ['help||']],
    ['?', ['help||']],
    ['help', ['help||']],
    ['connect', ['connect||']],
    ['CONNECT Now Please', ['connect|now please|Now Please']],
    ['con-nect', ['connect||']],
    ['“connect”  now', ['connect|now|now']],
    ['projects add Prod', ['projects|add prod|add Prod']],
    ['help connect', ['help|connect|connect']],
    ['help help', ['help|help|help']],
    ['connect help', ['help|connect|help']],
    ['connect ?', ['help|connect|help']],
    ['projects help', ['answered About projects']],
    ['projects add help', ['answered About projects']],
  ])('chooses the subcommand, unless the last word asks for help: “%s”', async (text, expected) => {
    expect(await run(text)).toEqual(expected);
  });

  it('is refused if it is unknown, with the nearest known word as a suggestion', async () => {
    expect(await run('conect now')).toMatchObject({
      word: 'conect',
      offered: ['connect now'],
      kind: 'invalid-word',
      message: 'Unknown command “conect”.',
    });
    expect(await run('“Conect” now')).toMatchObject({ word: 'Conect', offered: ['connect now'] });
    expect(await run('toString')).toMatchObject({ kind: 'invalid-word', offered: [] });
    expect(await run(`conect ${PERHAPS}`)).toMatchObject({ word: 'conect', offered: [] });
    expect(await run(`${'x'.repeat(50)} now`)).toMatchObject({ word: `${'x'.repeat(39)}…` });
  });
});

describe('a secret in a command', () => {
  it.each([`connect ${SECRET}`, `${SECRET} connect`, SECRET, 'connect token: abc'])(
    'never reaches a subcommand: %s',
    async (text) => {
      expect(await run(text)).toMatchObject({ kind: 'secret-pasted' });
      expect(ran).toEqual([]);
    },
  );

  it('isn’t repeated in a refusal, unlike other words', async () => {
    expect(await run(`projects bad ${PERHAPS}`)).toMatchObject({ word: '…', offered: [] });
    expect(await run('projects bad word')).toMatchObject({ word: 'bad', offered: ['projects good'] });
    expect(await run(`projects fail ${PERHAPS}`)).toMatchObject({ kind: 'token-rejected' });
  });
});
