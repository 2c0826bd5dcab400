/** What the parts of the fake Slack share. */
import type { Delivery } from './delivery.ts';
import type { Manifest } from './manifest.ts';
import type { OAuth } from './oauth.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Steps } from './steps.ts';
import { randomId, type Workspace } from './workspace.ts';

export type Failure = { error: string } | { status: number; retryAfter?: number } | 'hang';

export interface SlackBehaviour {
  latency: number;
  failure: Failure | undefined;
  /** The failure of every call to a method, by method. */
  failures: Map<string, Failure>;
}

export interface Core {
  readonly manifest: Manifest;
  readonly workspaces: readonly Workspace[];
  readonly now: () => number;
  readonly url: () => string;
  readonly delivery: Delivery;
  readonly behaviour: SlackBehaviour;
  /** Block types to reject in private answers. */
  readonly refuse: Set<string>;
  readonly triggers: Triggers;
  readonly responses: ResponseUrls;
  readonly steps: Steps;
  readonly oauth: OAuth | undefined;
  changed(): void;
  /** Called with those of the bot's mistakes that Slack wouldn't report. */
  complain(problem: string): void;
}

export type Outcome = { ok: true } | { ok: false; error: string };
export const failed = (error: string) => ({ ok: false, error }) as const;

interface Trigger {
  person: string;
  viewId?: string | undefined;
}

const TRIGGER_LIFE = 3_000;

/** Each `trigger_id` lets the bot open one modal within three seconds. */
export class Triggers {
  readonly #issued = new Map<string, Trigger & { until: number; isUsed: boolean }>();

  constructor(readonly now: () => number) {}

  issue(trigger: Trigger): string {
    const id = `${Math.floor(this.now())}.${this.#issued.size}.${randomId(12).toLowerCase()}`;
    this.#issued.set(id, { ...trigger, until: this.now() + TRIGGER_LIFE, isUsed: false });
    return id;
  }

  /** @returns Slack's error code for an ID that can't be used */
  redeem(id: string): Trigger | string {
    const trigger = this.#issued.get(id);
    if (!trigger) return 'invalid_trigger_id';
    if (trigger.isUsed) return 'exchanged_trigger_id';
    if (this.now() > trigger.until) return 'expired_trigger_id';
    trigger.isUsed = true;
    return trigger;
  }
}
