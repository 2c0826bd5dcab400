import type { ModalView } from '@slack/types';
import { NotAllowed } from '../domain/failure.ts';
import type { WorkspaceRecord } from '../workspace/workspaces.ts';
import type { Message } from './kit/atoms.ts';
import type { Asker } from './people.ts';
import type { Responder } from './respond.ts';
import { callSlack, type WebClient } from './web.ts';

/** One request of one person, whatever it came as, with the ways to answer it. */
export interface Visit {
  /** The instant the question is about, in ms: when it arrived or, when an answer is shared, when that was asked. */
  readonly at: number;
  readonly asker: Asker;
  /** The channel it was asked in, where there is one. */
  readonly channel: string | undefined;
  /** What the workspace told us, read once for this request. */
  readonly record: WorkspaceRecord;
  /** Whom `answer` speaks to. */
  readonly audience: 'asker' | 'channel';
  /** The answer; in the place of the one whose button was used. Throws SlackFailed. */
  answer(message: Message): Promise<void>;
  /** For the asker alone and beside whatever there is. Throws SlackFailed. */
  whisper(message: Message): Promise<void>;
  /** Opens a modal; within 3 s of the click or command. Throws SlackFailed. */
  open(view: ModalView): Promise<void>;
  /** Draws the modal this came from anew. Where that fails (it was closed, say), says `instead` in a direct message. */
  show(view: ModalView, instead?: Message): Promise<void>;
}

/** What every payload of Slack's has in one place or another. */
export interface Origin {
  readonly workspace: string;
  readonly person: string;
  readonly channel: string | undefined;
  readonly responseUrl: string | undefined;
  readonly trigger: string | undefined;
  readonly viewId: string | undefined;
  /** The thread it was said in, or begins. */
  readonly thread: string | undefined;
}

interface Payload {
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly user_id?: string;
  readonly channel_id?: string;
  readonly team?: { readonly id?: string } | null;
  readonly enterprise?: { readonly id?: string } | null;
  readonly user?: { readonly id?: string; readonly team_id?: string };
  readonly channel?: { readonly id?: string };
  readonly view?: { readonly id?: string };
  readonly container?: { readonly thread_ts?: string };
  readonly response_url?: string;
  readonly trigger_id?: string;
}

/** Where a payload comes from. Throws NotAllowed when it names no workspace or person. */
export function originOf(body: Payload): Origin {
  const workspace =
    body.team_id ?? body.team?.id ?? body.user?.team_id ?? body.enterprise_id ?? body.enterprise?.id;
  const person = body.user_id ?? body.user?.id;
  if (workspace === undefined || person === undefined) throw new NotAllowed('stranger');
  return {
    workspace,
    person,
    channel: body.channel_id ?? body.channel?.id,
    responseUrl: body.response_url,
    trigger: body.trigger_id,
    viewId: body.view?.id,
    thread: body.container?.thread_ts,
  };
}

export interface Ways {
  readonly origin: Origin;
  readonly client: WebClient;
  readonly responder: Responder;
}

/** To the asker alone, by whichever way is open: the response_url, the channel, a direct message. */
export async function whisper(
  { origin, client, responder }: Ways,
  message: Message,
  replace = false,
): Promise<void> {
  const { responseUrl, channel, person, thread } = origin;
  if (responseUrl !== undefined) {
    try {
      return await responder.post(responseUrl, message, { replace });
    } catch (error) {
      if (channel === undefined) throw error;
    }
  }
  const content = { text: message.text, blocks: [...message.blocks] as never[] };
  if (channel !== undefined) {
    await callSlack('chat.postEphemeral', () =>
      client.chat.postEphemeral({
        channel,
        user: person,
        ...(thread !== undefined && { thread_ts: thread }),
        ...content,
      }),
    );
  } else {
    await callSlack('chat.postMessage', () => client.chat.postMessage({ channel: person, ...content }));
  }
}

/** Draws the modal that this came from anew; where that fails, says `instead` in a direct message. @throws SlackFailed */
export async function show(ways: Ways, view: ModalView, instead?: Message): Promise<void> {
  const { origin, client } = ways;
  try {
    await client.views.update({ view_id: origin.viewId ?? '', view });
  } catch {
    if (instead === undefined) return;
    await whisper({ ...ways, origin: { ...origin, responseUrl: undefined, channel: undefined } }, instead);
  }
}

/** Who was let in, and the workspace's record that decided it. */
export interface Admission {
  readonly asker: Asker;
  readonly record: WorkspaceRecord;
}

export interface VisitOptions {
  readonly at: number;
  readonly audience?: 'asker' | 'channel';
  readonly replace?: boolean;
}

export function createVisit(ways: Ways, { asker, record }: Admission, options: VisitOptions): Visit {
  const { origin, client, responder } = ways;
  const { at, audience = 'asker', replace = false } = options;
  return {
    at,
    asker,
    channel: origin.channel,
    record,
    audience,
    async answer(message) {
      if (audience === 'asker' || origin.responseUrl === undefined) return whisper(ways, message, replace);
      await responder.post(origin.responseUrl, message, { everyone: true });
    },
    whisper: (message) => whisper(ways, message),
    async open(view) {
      await callSlack('views.open', () => client.views.open({ trigger_id: origin.trigger ?? '', view }));
    },
    show: (view, instead) => show(ways, view, instead),
  };
}
