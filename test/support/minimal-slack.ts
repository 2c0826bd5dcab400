/** A minimal Slack for delivery tests: counts posts and fails on request. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { note } from './test-run.ts';

export interface SlackPost {
  readonly workspace: string;
  readonly channel: string;
  readonly thread: string | undefined;
  readonly isBroadcast: boolean;
  readonly ts: string;
  readonly at: number;
  readonly key: string | undefined;
  text: string;
  blocks: string;
  edits: number;
}

interface Call {
  readonly workspace: string;
  readonly method: string;
  readonly args: URLSearchParams;
}

/** `take` accepts the post and never answers. A string is one of Slack's error codes. */
type Fault = string | { readonly retryAfter: number } | { readonly status: number; readonly take?: boolean };

export type MinimalSlack = Awaited<ReturnType<typeof startMinimalSlack>>;

export const directMessage = (person: string): string => `D${person.slice(1)}`;

/** The alert that the buttons of this post are about. */
export const alertNameOf = (post: SlackPost | undefined, watch: string): string =>
  new RegExp(`"value":"${watch} ([^"]+)"`).exec(post?.blocks ?? '')?.[1] ?? '';

export async function startMinimalSlack() {
  const posts: SlackPost[] = [];
  const calls: Call[] = [];
  let serial = 0;
  const slack = {
    url: '',
    posts: posts as readonly SlackPost[],
    calls: calls as readonly Call[],
    fault: (_call: Call): Fault | undefined => undefined,
    /** How long each post takes, in ms. */
    slow: 0,
    now: Date.now as () => number,
    admins: new Set<string>(),
    group: new Set<string>(),
    /** Fields of `users.info` by user ID. A person without any is a full member. */
    people: new Map<string, object>(),
    reset() {
      posts.length = 0;
      calls.length = 0;
    },
    restore() {
      slack.reset();
      for (const people of [slack.admins, slack.group, slack.people]) people.clear();
      Object.assign(slack, { fault: () => undefined, slow: 0 });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const take = ({ workspace, args }: Call): SlackPost => {
    const metadata = JSON.parse(args.get('metadata') ?? '{}');
    serial += 1;
    const post = {
      workspace,
      channel: args.get('channel') ?? '',
      thread: args.get('thread_ts') ?? undefined,
      isBroadcast: args.get('reply_broadcast') === 'true',
      ts: `${Math.floor(slack.now() / 1000)}.${String(serial).padStart(6, '0')}`,
      at: Date.now(),
      key: metadata.event_payload?.key,
      text: args.get('text') ?? '',
      blocks: args.get('blocks') ?? '',
      edits: 0,
    };
    posts.push(post);
    return post;
  };
  const found = (workspace: string, args: URLSearchParams) =>
    posts
      .filter((post) => post.workspace === workspace && post.channel === args.get('channel'))
      .filter(
        ({ ts }) => Number(ts) >= Number(args.get('oldest')) && Number(ts) <= Number(args.get('latest')),
      )
      .map(({ ts, key, thread, isBroadcast }) => ({
        ts,
        thread,
        isBroadcast,
        metadata: { event_type: 'tally_delivery', event_payload: { key } },
      }));
  const userOf = (workspace: string, id: string) => ({
    id,
    deleted: false,
    team_id: workspace,
    is_admin: slack.admins.has(id),
    ...slack.people.get(id),
  });
  const methods: Record<string, (call: Call) => object> = {
    'chat.postMessage': (call) => ({ ok: true, ts: take(call).ts }),
    'chat.update': ({ args }) => {
      const post = posts.find(({ ts }) => ts === args.get('ts'));
      if (post === undefined) return { ok: false, error: 'message_not_found' };
      Object.assign(post, { text: args.get('text'), blocks: args.get('blocks'), edits: post.edits + 1 });
      return { ok: true, ts: post.ts };
    },
    'conversations.history': ({ workspace, args }) => ({
      ok: true,
      messages: found(workspace, args).filter(
        ({ thread, isBroadcast }) => thread === undefined || isBroadcast,
      ),
    }),
    'conversations.replies': ({ workspace, args }) => ({
      ok: true,
      messages: found(workspace, args).filter(({ thread }) => thread === args.get('ts')),
    }),
    'conversations.open': ({ args }) => ({
      ok: true,
      channel: { id: directMessage(args.get('users') ?? '') },
    }),
    'auth.test': () => ({ ok: true }),
    'usergroups.users.list': () => ({ ok: true, users: [...slack.group] }),
    'users.list': ({ workspace, args }) => {
      const all = [...new Set([...slack.admins, ...slack.people.keys()])];
      const at = Number(args.get('cursor') ?? 0);
      const members = all.slice(at, at + 1).map((id) => userOf(workspace, id));
      return {
        ok: true,
        members,
        response_metadata: { next_cursor: at + 1 < all.length ? `${at + 1}` : '' },
      };
    },
    'users.info': ({ workspace, args }) => ({ ok: true, user: userOf(workspace, args.get('user') ?? '') }),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = {
      workspace: (request.headers.authorization ?? '').replace('Bearer xoxb-', ''),
      method: (request.url ?? '').replace('/api/', ''),
      args: new URLSearchParams(Buffer.concat(chunks).toString()),
    };
    calls.push(call);
    note(`${call.method} ${call.args.get('channel') ?? ''} ${call.args.get('text') ?? ''}`);
    const fault = slack.fault(call);
    if (fault !== undefined) return fail(response, call, fault);
    if (call.method === 'chat.postMessage' && slack.slow > 0) await delay(slack.slow);
    const answer = methods[call.method]?.(call) ?? { ok: false, error: 'unknown_method' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  const fail = (response: ServerResponse, call: Call, fault: Fault): void => {
    response.setHeader('content-type', 'application/json');
    if (typeof fault === 'string') return void response.end(JSON.stringify({ ok: false, error: fault }));
    if ('retryAfter' in fault) {
      response.writeHead(429, { 'retry-after': String(fault.retryAfter) });
      return void response.end(JSON.stringify({ ok: false, error: 'ratelimited' }));
    }
    if (fault.take) take(call);
    response.writeHead(fault.status);
    response.end('{}');
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  slack.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  return slack;
}
