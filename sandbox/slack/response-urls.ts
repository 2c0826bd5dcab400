/** `response_url`s: five answers within 30 minutes, without a token. */
import { randomBytes } from 'node:crypto';
import { type RefusedBlockTypes, readMessage } from './read-message.ts';
import type { StoredMessage, Workspace } from './workspace.ts';

/** What a test or the panel can change about this Slack. */
export interface SlackBehaviour {
  /** How long each call of the bot takes, in ms. */
  latency: number;
  /** Whether `replace_original` replaces the first private answer to a command. */
  replacesCommandAnswers: boolean;
}

const USES = 5;
const LIFE = 30 * 60 * 1000;

interface Issued {
  person: string;
  channel: string;
  threadTs: string | undefined;
  /** The message that `replace_original` replaces: the clicked one, or the first private answer to a command. */
  source: StoredMessage | undefined;
  /** The command as typed, which the first public answer makes visible to everyone. */
  typed: string | undefined;
  until: number;
  uses: number;
}

export interface ResponseUrlRequest {
  person: string;
  channel: string;
  threadTs?: string | undefined;
  source?: StoredMessage | undefined;
  typed?: string | undefined;
}

export interface ResponseUrlAnswer {
  status: number;
  body: { ok: boolean; error?: string };
}

export class ResponseUrls {
  readonly #issued = new Map<string, Issued>();

  constructor(
    readonly workspace: Workspace,
    readonly base: () => string,
    readonly refusals: RefusedBlockTypes,
    readonly behaviour: SlackBehaviour,
  ) {}

  issue({ person, channel, threadTs, source, typed }: ResponseUrlRequest): string {
    const key = randomBytes(18).toString('base64url');
    const until = this.workspace.now() + LIFE;
    this.#issued.set(key, { person, channel, threadTs, source, typed, until, uses: 0 });
    return `${this.base()}/response/${key}`;
  }

  has(key: string): boolean {
    return this.#issued.has(key);
  }

  /** Every call counts as a use, even one with invalid blocks. */
  answer(key: string, body: unknown): ResponseUrlAnswer {
    const issued = this.#issued.get(key);
    if (!issued || this.workspace.now() > issued.until) return refused(404, 'expired_url');
    issued.uses += 1;
    if (issued.uses > USES) return refused(404, 'used_url');
    return this.#apply(issued, (body ?? {}) as Record<string, unknown>);
  }

  #apply(issued: Issued, body: Record<string, unknown>): ResponseUrlAnswer {
    if (isTrue(body.delete_original)) return this.#remove(issued);
    const read = readMessage(body, this.refusals);
    if (!read.ok) return refused(read.error === 'no_text' ? 500 : 400, read.error);
    if (isTrue(body.replace_original) && issued.source && this.isStillThere(issued.source))
      this.workspace.edit(issued.source, read);
    else {
      const posted = this.post(issued, read, body);
      // Slack documents replacing only for a clicked message. For an answer to a command, people report both.
      if (this.behaviour.replacesCommandAnswers && posted.ephemeral) issued.source ??= posted;
    }
    return { status: 200, body: { ok: true } };
  }

  #remove({ source }: Issued): ResponseUrlAnswer {
    if (source && this.isStillThere(source)) this.workspace.remove(source);
    return { status: 200, body: { ok: true } };
  }

  isStillThere(source: StoredMessage): boolean {
    return this.workspace.find(source.channel, source.ts) !== undefined;
  }

  /** Posts a new message; also used for the body of an acknowledgement. */
  post(
    issued: ResponseUrlRequest,
    read: { text: string; blocks?: object[] | undefined },
    body: Record<string, unknown>,
  ): StoredMessage {
    const isPublic = body.response_type === 'in_channel';
    if (isPublic && issued.typed) {
      this.workspace.post({ channel: issued.channel, from: issued.person, text: issued.typed });
      issued.typed = undefined;
    }
    return this.workspace.post({
      channel: issued.channel,
      from: 'bot',
      ...read,
      viewer: isPublic ? undefined : issued.person,
      threadTs: typeof body.thread_ts === 'string' ? body.thread_ts : issued.threadTs,
    });
  }
}

function isTrue(flag: unknown): boolean {
  return flag === true || flag === 'true';
}

function refused(status: number, error: string): ResponseUrlAnswer {
  return { status, body: { ok: false, error } };
}
