/** What the parts of one Slack share. */
import type { Delivery } from './delivery.ts';
import type { Manifest } from './manifest.ts';
import type { OAuth } from './oauth.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Steps } from './steps.ts';
import type { TrafficLog } from './traffic.ts';
import { randomId, type Workspace } from './workspace.ts';

/** A failure of an API call: an API error, an HTTP status, or no answer. */
export type Failure = { error: string } | { status: number; retryAfter?: number } | 'hang';

/** What a test or the panel can change about this Slack. */
export interface SlackBehaviour {
  /** How long each call of the bot takes, in ms. */
  latency: number;
  /** What every call of the bot fails with. */
  failure: Failure | undefined;
}

export interface Core {
  readonly manifest: Manifest;
  readonly workspaces: readonly Workspace[];
  /** ms since the epoch */
  readonly now: () => number;
  /** The base URL of this server. */
  readonly url: () => string;
  readonly delivery: Delivery;
  readonly traffic: TrafficLog;
  readonly behaviour: SlackBehaviour;
  /** Block types to reject in private answers. */
  readonly refuse: Set<string>;
  readonly triggers: Triggers;
  readonly responses: ResponseUrls;
  readonly steps: Steps;
  /** Absent when the app has a fixed token. */
  readonly oauth: OAuth | undefined;
  /** The delay before each retry of an event, in ms. */
  readonly eventRetries: readonly number[];
  changed(): void;
  /** Called with what the bot sent that Slack rejects without an answer. */
  complain(problem: string): void;
}

export type Outcome = { ok: true } | { ok: false; error: string };
export const failed = (error: string) => ({ ok: false, error }) as const;

interface Trigger {
  person: string;
  /** The modal that the interaction was in, if any. */
  viewId?: string | undefined;
}

/** How long a `trigger_id` is valid, in ms. */
const TRIGGER_LIFE = 3_000;

/** `trigger_id`s: each lets the bot open one modal within a few seconds. */
export class Triggers {
  readonly #issued = new Map<string, Trigger & { until: number; isUsed: boolean }>();

  constructor(readonly now: () => number) {}

  issue(trigger: Trigger): string {
    const id = `${Math.floor(this.now())}.${this.#issued.size}.${randomId(12).toLowerCase()}`;
    this.#issued.set(id, { ...trigger, until: this.now() + TRIGGER_LIFE, isUsed: false });
    return id;
  }

  /** @returns Slack's error code for one that can't be used */
  redeem(id: string): Trigger | string {
    const trigger = this.#issued.get(id);
    if (!trigger) return 'invalid_trigger_id';
    if (trigger.isUsed) return 'exchanged_trigger_id';
    if (this.now() > trigger.until) return 'expired_trigger_id';
    trigger.isUsed = true;
    return trigger;
  }
}
