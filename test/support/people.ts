/** What people do in Slack and see there, for tests with a bot. */
import querystring from 'node:querystring';
import { expect } from 'vitest';
import * as z from 'zod';
import { OWNER, type Slack } from '../../sandbox/slack/index.ts';
import type { RateLimiter } from '../../src/slack/server/rate-limiter.ts';
import { type Answer, labelsOf, textOf, toAnswer } from './answer.ts';
import { note } from './test-run.ts';

export const TEAM = 'T0SANDBOX1';
export const CHANNEL = 'C0COSTS001';
export const GENERAL = 'C0GENERAL1';
export const FINANCE = 'C0FINANCE1';
export const SHARED = 'C0SHARED01';

/** The channel of a person’s direct messages with Tally. */
export const directOf = (person: string): string => person.replace(/^U/, 'D');

export type Fields = NonNullable<Parameters<Slack['submit']>[1]>;
type Reply = { readonly status: number; readonly body: string };

const suggestions = z.object({ options: z.array(z.object({ value: z.string() })) });
const input = z.object({ block_id: z.string(), element: z.record(z.string(), z.unknown()) });

let clicks = 0;
/** Slack gives each command and click a trigger of its own. A second one with the same trigger counts as a replay. */
export const uniqueClick = () => ({ trigger_id: `1.${++clicks}` });

export type People = ReturnType<typeof createPeople>;

/** @param botUrl the process that receives requests sent by hand */
export function createPeople(slack: Slack, botUrl: () => string) {
  const answers = (person = OWNER, channel = CHANNEL): readonly Answer[] =>
    slack
      .messages(person, channel)
      .filter(({ from }) => from === 'bot' || from === 'slackbot')
      .map(toAnswer);

  /** Tally’s next message that the person sees in the channel after `work` begins. */
  async function next(work: () => Promise<unknown>, person = OWNER, channel = CHANNEL): Promise<Answer> {
    const before = answers(person, channel).length;
    await work();
    return slack.waitFor(() => answers(person, channel)[before], 15_000);
  }

  const current = ({ ts, channel }: Answer, person: string) =>
    answers(person, channel).find((one) => one.ts === ts);

  const modal = (person = OWNER) => slack.modal(person);
  const modalText = (person = OWNER): string => textOf(modal(person)?.view);
  /** Waits for this text in the form. @returns the form’s whole text */
  const modalSays = (part: string | RegExp, person = OWNER): Promise<string> => {
    const says = () =>
      typeof part === 'string' ? modalText(person).includes(part) : part.test(modalText(person));
    return slack
      .waitFor(() => says() && modalText(person), 10_000)
      .catch((error: unknown) => {
        expect(modalText(person)).toMatch(part);
        throw error;
      });
  };

  async function send(
    body: string,
    type = 'application/x-www-form-urlencoded',
    url = botUrl(),
  ): Promise<Reply> {
    note(`Slack sends ${querystring.unescape(body)}`);
    const headers = { 'content-type': type, ...slack.signed(body) };
    const reply = await fetch(`${url}/slack/events`, { method: 'POST', headers, body });
    return { status: reply.status, body: await reply.text() };
  }

  /** Sends a command or a message. @returns Tally’s next message that this person sees there */
  const ask = (text: string, person = OWNER, channel = CHANNEL, thread?: string): Promise<Answer> =>
    next(() => slack.say(person, channel, text, thread), person, channel);

  return {
    answers,
    next,
    modal,
    modalText,
    modalSays,
    send,
    ask,
    read: async (...question: Parameters<typeof ask>): Promise<string> =>
      (await ask(...question)).visibleText,
    press: ({ ts, channel }: Answer, label: string, person = OWNER) =>
      slack.press(person, { channel, ts }, label),
    /** @param list the menu’s action ID */
    choose: ({ ts, channel }: Answer, list: string, option: string, person = OWNER) =>
      slack.choose(person, { channel, ts }, list, option),
    updated: (answer: Answer, part: string, person = OWNER): Promise<Answer> =>
      slack
        .waitFor(() => {
          const found = current(answer, person);
          return found?.visibleText.includes(part) && found;
        }, 10_000)
        .catch((error: unknown) => {
          expect(current(answer, person)?.visibleText).toContain(part);
          throw error;
        }),
    /** The form as JSON, with its initial values. */
    view: (person = OWNER): string => JSON.stringify(modal(person)?.view),
    /** Types a command, and opens More in the form. @returns the form’s text */
    async openForm(command: string, person = OWNER, channel = CHANNEL): Promise<string> {
      await slack.say(person, channel, command);
      await slack.waitFor(() => modal(person));
      if (labelsOf(modal(person)?.view.blocks).includes('More…')) {
        await slack.press(person, { viewId: modal(person)!.id }, 'More…');
        await slack.waitFor(() => !labelsOf(modal(person)?.view.blocks).includes('More…'));
      }
      return modalText(person);
    },
    /** Submits the form. @returns its text after it was processed */
    async save(fields: Fields = {}, person = OWNER): Promise<string> {
      await slack.submit(person, fields);
      await slack.waitFor(
        () => modalText(person) !== '' && !/Saving…|Testing/.test(modalText(person)),
        10_000,
      );
      return modalText(person);
    },
    closeForm: async (person = OWNER) => modal(person) && slack.dismiss(person),
    pressInForm: (label: string, person = OWNER) => slack.press(person, { viewId: modal(person)!.id }, label),
    errors: (person = OWNER) => modal(person)?.errors ?? {},
    /** A field’s initial value. In the form, `field` may have a suffix. */
    initial(field: string, person = OWNER): unknown {
      const inputs = modal(person)!.view.blocks.flatMap((block) => input.safeParse(block).data ?? []);
      const { element = {} } = inputs.find(({ block_id }) => block_id.split(':')[0] === field) ?? {};
      return Object.entries(element).find(([name]) => name.startsWith('initial_'))?.[1];
    },
    async suggested(field: string, text: string, person = OWNER): Promise<readonly string[]> {
      const found = await slack.suggest(person, { viewId: modal(person)!.id }, field, text);
      return suggestions.parse(found).options.map(({ value }) => value);
    },
    async home(person = OWNER): Promise<string> {
      const drawn = () =>
        slack.calls.filter(({ method, args }) => method === 'views.publish' && args.user_id === person)
          .length;
      const before = drawn();
      await slack.openHome(person);
      await slack.waitFor(() => drawn() > before);
      return textOf(slack.home(person)?.view.blocks);
    },
    command: (fields: Readonly<Record<string, string>>, url?: string) =>
      send(new URLSearchParams({ ...fields, ...uniqueClick() }).toString(), undefined, url),
    /** Sends an interaction of this person, even with a button that they don’t see. */
    interact: (payload: object, url?: string) =>
      send(`payload=${encodeURIComponent(JSON.stringify({ ...payload, ...uniqueClick() }))}`, undefined, url),
    event: async (body: object, url?: string): Promise<number> =>
      (await send(JSON.stringify(body), 'application/json', url)).status,
  };
}

export const sentBy = (person: string, home = TEAM) => ({
  team: { id: TEAM },
  user: { id: person, team_id: home },
});

/** The payload of a click, even on a button that this person doesn’t see. */
export const clickOf = (person: string, action: object, channel = CHANNEL) => ({
  type: 'block_actions',
  ...sentBy(person),
  channel: { id: channel },
  actions: [{ type: 'button', block_id: 'b', ...action }],
});

/** Tests send requests faster than people do. */
export const UNLIMITED: RateLimiter = {
  take: () => undefined,
  demand: () => undefined,
};
