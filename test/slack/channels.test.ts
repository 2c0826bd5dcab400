import { describe, expect, it } from 'vitest';
import { channelsOf, knownChannels } from '../../src/slack/request/channels.ts';
import { clientOf } from './answering-client.ts';

const refusal = (error: string) => Object.assign(new Error(error), { data: { error } });
/** Channels of a Slack that answers one method. */
const channelsBy = (method: string, answer: (args: object) => unknown) =>
  channelsOf(clientOf({ [`conversations.${method}`]: answer }));

describe('a channel', () => {
  const find = (answer: object | Error) => {
    const asked: object[] = [];
    const info = async (args: object) => {
      asked.push(args);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { found: channelsBy('info', info).find('C1'), asked };
  };
  const PUBLIC = { isPrivate: false, isArchived: false, isShared: false, isJoined: false };

  it.each([
    [{}, {}],
    [{ channel: {} }, {}],
    [{ channel: { is_private: true } }, { isPrivate: true }],
    [{ channel: { is_archived: true } }, { isArchived: true }],
    [{ channel: { is_ext_shared: true } }, { isShared: true }],
    [{ channel: { is_pending_ext_shared: true } }, { isShared: true }],
    [{ channel: { is_member: true } }, { isJoined: true }],
  ])('is read from Slack’s answer %j as %j', async (answer, expected) => {
    const { found, asked } = find(answer);
    expect(await found).toEqual({ ...PUBLIC, ...expected });
    expect(asked).toEqual([{ channel: 'C1' }]);
  });

  it('isn’t found if Slack answers channel_not_found, but any other refusal by Slack is an error', async () => {
    expect(await find(refusal('channel_not_found')).found).toBeUndefined();
    await expect(find(refusal('missing_scope')).found).rejects.toMatchObject({
      kind: 'slack-failed',
      data: { code: 'missing_scope', method: 'conversations.info' },
    });
  });
});

describe('the members of a channel', () => {
  const membersOf = (pages: readonly object[]) => {
    const asked: object[] = [];
    const members = async (args: object) => {
      asked.push(args);
      return pages[Math.min(asked.length, pages.length) - 1];
    };
    return { channels: channelsBy('members', members), asked };
  };
  const page = (members: readonly string[], next_cursor?: string) => ({
    members,
    ...(next_cursor !== undefined && { response_metadata: { next_cursor } }),
  });

  it('are read to the last page before a person counts as absent', async () => {
    for (const end of [page(['U3'], ''), page(['U3']), {}]) {
      const { channels, asked } = membersOf([page(['U1'], 'a'), end]);
      expect(await channels.has('C1', 'U9')).toBe(false);
      expect(asked).toHaveLength(2);
    }
  });

  it('can’t be determined if Slack refuses to list them', async () => {
    const refused = channelsBy('members', () => Promise.reject(refusal('fatal_error'))).has('C1', 'U1');
    await expect(refused).rejects.toMatchObject({
      data: { method: 'conversations.members', code: 'fatal_error' },
    });
  });
});

describe('the channels that a person may know about', () => {
  const INFO: Readonly<Record<string, object>> = {
    C1: {},
    C2: { is_private: true },
    C3: { is_private: true },
    C4: { is_archived: true },
  };
  const channels = channelsOf(
    clientOf({
      'conversations.info': async ({ channel }: { channel: string }) => ({ channel: INFO[channel] }),
      'conversations.members': async ({ channel }: { channel: string }) => ({
        members: channel === 'C2' ? ['U1'] : [],
      }),
    } as never),
  );
  it.each([
    ['public channels and the person’s own channels', 'member', ['C1', 'C2']],
    ['only the person’s own channels', 'guest', ['C2']],
  ] as const)('are %s for a %s', async (_, role, known) => {
    const user = { id: 'U1', role };
    expect(await knownChannels(['C1', 'C2', 'C3'], { slack: { channels }, user })).toEqual(known);
    expect(await knownChannels(['C4'], { slack: { channels }, user })).toEqual([]);
  });
});
