/** `response_url`s: five answers within 30 minutes, without a token. */
import { randomBytes } from 'node:crypto';
import { type Loose, Rejection, readMessage } from './blocks.ts';
import type { Core } from './core.ts';
import type { StoredMessage, Workspace } from './workspace.ts';

const USES = 5;
const LIFE = 30 * 60 * 1000;

export interface ResponseUrlOrigin {
  workspace: Workspace;
  person: string;
  channel: string;
  threadTs?: string | undefined;
  /** `replace_original` replaces this message: the clicked one, or the first private answer to a command. */
  source?: StoredMessage | undefined;
  /** The command as typed. The first public answer also posts it. */
  typed?: string | undefined;
}

type Answer = { status: number; body: { ok: boolean; error?: string } };

const isTrue = (given: unknown) => String(given) === 'true';
const refused = (status: number, error: string): Answer => ({ status, body: { ok: false, error } });

export class ResponseUrls {
  readonly #issued = new Map<string, ResponseUrlOrigin & { until: number; uses: number }>();

  constructor(readonly core: Pick<Core, 'now' | 'url' | 'refuse'>) {}

  issue(origin: ResponseUrlOrigin): string {
    const key = randomBytes(18).toString('base64url');
    this.#issued.set(key, { ...origin, until: this.core.now() + LIFE, uses: 0 });
    return `${this.core.url()}/response/${key}`;
  }

  /** Every call counts as a use, even one with invalid blocks. */
  answer(key: string, body: Loose): Answer {
    const origin = this.#issued.get(key);
    if (!origin || this.core.now() > origin.until) return refused(404, 'expired_url');
    origin.uses += 1;
    if (origin.uses > USES) return refused(404, 'used_url');
    try {
      this.#apply(origin, body);
      return { status: 200, body: { ok: true } };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return refused(error.code === 'no_text' ? 500 : 400, error.code);
    }
  }

  #apply(origin: ResponseUrlOrigin, body: Loose): void {
    const { workspace, source } = origin;
    const original = source && workspace.find(source.channel, source.ts);
    const read = readMessage(body, this.core.refuse);
    if (isTrue(body.replace_original) && original) {
      workspace.edit(original, read);
      return;
    }
    const posted = this.post(origin, read, body);
    if (posted.ephemeral) origin.source ??= posted;
  }

  /** Also posts the body of an acknowledgement. */
  post(origin: ResponseUrlOrigin, read: ReturnType<typeof readMessage>, body: Loose): StoredMessage {
    const { workspace, person, channel, typed, threadTs } = origin;
    const isPublic = body.response_type === 'in_channel';
    if (isPublic && typed) workspace.post({ channel, from: person, text: typed });
    if (isPublic) origin.typed = undefined;
    return workspace.post({
      channel,
      from: 'bot',
      ...read,
      viewer: isPublic ? undefined : person,
      threadTs: typeof body.thread_ts === 'string' ? body.thread_ts : threadTs,
    });
  }
}
