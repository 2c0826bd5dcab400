import { describe, expect, it } from 'vitest';
import { type Command, parseCommand, withoutSecrets } from '../../src/slack/commands/command.ts';
import {
  commandButton,
  commandOption,
  nameButton,
  outputOptions,
  pageButtons,
  parseCommandClick,
  scheduleOption,
  shareButton,
  watchOption,
  withoutShare,
} from '../../src/slack/commands/command-buttons.ts';
import { actions, button, section } from '../../src/slack/kit/blocks.ts';

const spend = (text = ''): Command => ({ command: '/spend', text });

describe('a button that runs a command', () => {
  it('carries the command as it would be typed, with its style and confirmation', () => {
    expect(commandButton('again', 'Again', spend('prod today'), { style: 'primary' })).toEqual([
      {
        ...{ type: 'button', action_id: 'rerun:again', value: '/spend prod today', style: 'primary' },
        text: { type: 'plain_text', text: 'Again', emoji: false },
      },
    ]);
    expect(commandButton('again', 'Again', spend())[0]?.value).toBe('/spend');
  });

  it('is left out where Slack would refuse its value', () => {
    const text = 'a'.repeat(2_000 - '/spend '.length);
    expect(commandButton('again', 'Again', spend(text))[0]?.value).toHaveLength(2_000);
    expect(commandButton('again', 'Again', spend(`${text}a`))).toEqual([]);
  });

  it('is parsed into the command that it was made of', () => {
    expect(parseCommand('/spend prod  today')).toEqual({ command: '/spend', text: 'prod  today' });
    expect(parseCommand('/spend')).toEqual({ command: '/spend', text: '' });
    expect(parseCommand('')).toEqual({ command: '', text: '' });
  });

  it('opens the form that names an ID, with the product that was asked about', () => {
    expect(nameButton({ project: '123', product: 2 })[0]).toMatchObject({
      ...{ action_id: 'rerun:name', value: '/billing projects add 123 storage' },
    });
  });
});

describe('an option of a menu', () => {
  const values = (options: readonly { readonly value?: string }[]) => options.map(({ value }) => value);

  it('is a command with a label, and a description where there is one', () => {
    const text = (value: string) => ({ type: 'plain_text', text: value, emoji: false });
    expect(commandOption('A', spend('prod'))).toEqual({ text: text('A'), value: '/spend prod' });
    expect(commandOption('A', spend('prod'), 'B')).toMatchObject({ description: text('B') });
  });

  it('asks for the same answer as a file, or in detail', () => {
    expect(values(outputOptions(spend('prod')))).toEqual(['/spend prod csv', '/spend prod details']);
    expect(values(outputOptions(spend()))).toEqual(['/spend csv', '/spend details']);
    expect(outputOptions(spend()).map(({ text }) => text.text)).toEqual(['CSV', 'Details']);
  });

  it('opens the form for a schedule or a watch of the project', () => {
    const options = [
      scheduleOption({ word: 'prod', product: undefined }),
      scheduleOption({ word: '123', product: 3 }, 'balance'),
      watchOption({ word: '123', product: 1 }),
      watchOption({ word: '123', product: 1 }, 'budget'),
    ];
    expect(values(options)).toEqual([
      '/billing schedule prod',
      '/billing schedule 123 virtualization balance',
      '/billing watch 123 cloud',
      '/billing watch 123 cloud budget',
    ]);
  });
});

describe('the buttons to other pages', () => {
  it.each([
    [1, 1, []],
    [1, 3, ['Next 2']],
    [2, 3, ['Previous 1', 'Next 3']],
    [3, 3, ['Previous 2']],
    [9, 3, []],
  ])('%i of %i leads to %j', (page, pages, to) => {
    const buttons = pageButtons(page, pages, (n) => spend(String(n)));
    expect(buttons.map(({ text, value }) => `${text.text} ${value?.split(' ')[1]}`)).toEqual(to);
    expect(buttons.map(({ action_id }) => action_id)).toEqual(
      to.map((one) => `rerun:${one.split(' ')[0]?.toLowerCase()}`),
    );
  });
});

describe('a button that shares an answer', () => {
  it('carries when it was asked for, and is parsed into the same command and time', () => {
    const [share] = shareButton(spend('prod today'), 1_800_000_000_000);
    expect(share).toMatchObject({ action_id: 'share', value: '1800000000000 /spend prod today' });
    expect(parseCommandClick('share', share?.value ?? '')).toEqual({
      ...{ how: 'share', askedAt: 1_800_000_000_000, command: spend('prod today') },
    });
  });

  it('is left out where Slack would refuse its value', () => {
    const text = 'a'.repeat(2_000 - '5 /spend '.length);
    expect(shareButton(spend(text), 5)[0]?.value).toHaveLength(2_000);
    expect(shareButton(spend(`${text}a`), 5)).toEqual([]);
  });

  it.each(['x', '', '0', '-5', '1.5', 'Infinity', '9007199254740993'])(
    'that names no instant, “%s”, was asked for at none',
    (asked) => {
      expect(parseCommandClick('share', `${asked} /spend prod`)).toEqual({
        ...{ how: 'share', askedAt: Number.POSITIVE_INFINITY, command: spend('prod') },
      });
    },
  );

  it('is removed from a message that nobody else could read', () => {
    const again = button('rerun:again', 'Again', { value: '/spend' });
    const [share] = shareButton(spend(), 5);
    const blocks = [section('A'), actions(share!), actions(again, share!), actions(again)];
    expect(withoutShare({ text: 'A', blocks })).toEqual({
      ...{ text: 'A', blocks: [section('A'), actions(again), actions(again)] },
    });
  });
});

describe('a command that a button carries', () => {
  const SECRET = 'gAAAAABk1234567890abcdefXYZ';
  const carried = (text: string, ...aliases: readonly string[]) =>
    withoutSecrets({ command: '/spend', text }, new Set(aliases));

  it('has no words that could be a secret, unless a project is called so', () => {
    expect(carried(`prod ${SECRET} today`)).toEqual({ command: '/spend', text: 'prod today' });
    expect(carried(`prod ${SECRET} today`, SECRET.toLowerCase()).text).toBe(`prod ${SECRET} today`);
    expect(carried('prod today').text).toBe('prod today');
  });
});
