/** The forms of schedules and of watches, which share their code. */
import { describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { startAutomationBot } from '../support/automation-bot.ts';
import { CHANNEL } from '../support/bot.ts';
import { sentBy } from '../support/people.ts';

const bot = await startAutomationBot();
const { around, ask, change, chooseInForm: choose, forgedClick, holdPreviews, modal, modalText } = bot;
const { notWaiting, row, save, setUp, stored, suggested, updated, view } = bot;

const metadata = () => (modal()!.view as { private_metadata?: string }).private_metadata ?? '';
const shows = (part: string, person = OWNER) =>
  bot.slack
    .waitFor(() => view(person)?.includes(part) || modalText(person).includes(part))
    .catch(() => expect(modalText(person)).toContain(part));

async function open(command: string, person = OWNER, channel = CHANNEL): Promise<void> {
  await bot.openForm(command, person, channel);
  await shows('"submit"', person);
}

interface Example {
  readonly kind: 'schedule' | 'watch';
  readonly command: string;
  readonly list: string;
  /** A change of a field in the form. */
  readonly first: Record<string, string>;
  readonly second: Record<string, string>;
  /** Choices that a person makes one after the other; `shown` is a text that the form has only after the choice. */
  readonly choices: readonly (readonly [field: string, value: string, shown: string])[];
}

const EXAMPLES: readonly Example[] = [
  {
    kind: 'schedule',
    command: 'prod',
    list: 'schedules',
    first: { time: '10:00' },
    second: { time: '11:00' },
    choices: [
      ['cadence', 'weekly', 'Wednesday'],
      ['cadence', 'monthly', 'Shorter months'],
    ],
  },
  {
    kind: 'watch',
    command: 'prod balance 50000',
    list: 'watches',
    first: { below: '1000' },
    second: { below: '2000' },
    choices: [
      ['to', 'people', 'Full members of this workspace'],
      ['kind', 'spike', 'Times the usual amount'],
    ],
  },
];

describe.each(EXAMPLES)('the form of a $kind', ({ kind, command, list, first, second, choices }) => {
  const saved = () => stored(kind);
  const edit = async (id: string, person = OWNER) => {
    const answer = await ask(list, person);
    await row(kind, answer, 'edit', id, person);
    await shows(`Edit ${kind}`, person);
    await notWaiting(person);
  };

  it('saves the second of two simultaneous edits only after a confirmation', async () => {
    const { id } = await setUp(kind, command, MEMBER);
    for (const person of [OWNER, MEMBER]) await edit(id, person);
    expect(await save(first)).toContain('Saved');
    const before = await saved();
    const refused = await save(second, MEMBER);
    expect(refused).toContain('Someone else just changed this. Press Save again to do it anyway.');
    expect(await saved()).toEqual(before);
    expect(await save({}, MEMBER)).toContain('Saved');
    expect(await saved()).not.toEqual(before);
  });

  it('keeps a pause that began while the form was open', async () => {
    const { id } = await setUp(kind, command);
    await edit(id);
    const answer = await ask(list);
    await row(kind, answer, 'pause', id, OWNER);
    await updated(answer, 'Paused.');
    expect(await save(first)).toContain('Someone else just changed this.');
    expect(await save()).toContain('It stays paused until someone resumes it.');
  });

  it('can undo a deletion that happened while the form was open', async () => {
    const { id } = await setUp(kind, command);
    await edit(id);
    expect(await forgedClick(OWNER, `${kind}-row`, `remove ${id}`)).toContain('Deleted ');
    expect(await save()).toContain(
      'Someone else just removed or renamed this. Press Save again to create it anew.',
    );
    expect(await saved()).toEqual([]);
    expect(await save()).toContain('Saved');
    expect(await saved()).toMatchObject([{ id }]);
  });

  it.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
  ])(
    'shows the preview for the last choice if the preview for an earlier choice arrives %s',
    async (_, order) => {
      await open(`${kind} ${command}`);
      const release = holdPreviews(2);
      for (const [at, [field, value]] of choices.entries()) {
        await choose(field, value);
        await bot.slack.waitFor(() => around.waits.length === 1 - at);
      }
      for (const at of order) release[at]!();
      const [, , last] = choices[1]!;
      await shows(last);
      await notWaiting();
      expect(modalText()).toContain(last);
    },
  );

  it('shows the preview even if the person searches for a project while the preview loads', async () => {
    await open(`${kind} ${command}`);
    const [[field, value, shown]] = choices as [Example['choices'][number]];
    const release = holdPreviews(1);
    await choose(field, value);
    await bot.slack.waitFor(() => around.waits.length === 0);
    await suggested(`${kind}-form:projects`, 'pro');
    release[0]!();
    await shows(shown);
    await notWaiting();
  });

  it('saves nothing if its metadata is forged', async () => {
    await open(`${kind} ${command}`);
    const values = {
      projects: { value: { selected_options: [{ value: '123:1' }] } },
      channel: { value: { selected_conversation: CHANNEL } },
    };
    const states = ['', 'null', '[]', '{"before":7}', '{"hidden":{"to":"people","people":"U1,,"}}'];
    for (const private_metadata of states) {
      const view = {
        id: modal()!.id,
        type: 'modal',
        callback_id: kind,
        private_metadata,
        state: { values },
      };
      const payload = { type: 'view_submission', ...sentBy(OWNER), view };
      const { status, body } = await bot.interact(payload);
      expect([status, body]).toEqual([200, expect.stringContaining('"errors"')]);
    }
    expect(await saved()).toEqual([]);
  });
});

describe('a form field that is temporarily hidden', () => {
  it('keeps its typed amount or chosen channel', async () => {
    await open('watch prod balance 50000');
    await choose('kind', 'runway');
    await shows('Fewer than');
    await choose('to', 'people');
    await shows('Full members of this workspace');
    await choose('kind', 'balance');
    await shows('Bonuses don’t count');
    expect(view()).toContain('"initial_value":"50000"');
    await choose('to', 'channel');
    await shows(`"initial_conversation":"${CHANNEL}"`);
  });

  it('loses an invalid value, because the value may be a secret', async () => {
    await open('watch prod balance');
    const secret = 'xoxb-1234567890-secret';
    await change('below', { type: 'plain_text_input', value: secret });
    await shows('Type an amount');
    await choose('kind', 'runway');
    await shows('Fewer than');
    expect(metadata()).not.toContain('xoxb');
    expect(metadata().length).toBeLessThan(1_000);
  });
});

it('Slack accepts every form of schedules and watches', () => expect(bot.slack.complaints).toEqual([]));
