/** `trigger_id`s: each lets the bot open one modal within a few seconds. */
import { randomId } from './workspace.ts';

export interface Trigger {
  person: string;
  /** The modal that the interaction was in, if any. */
  viewId?: string | undefined;
}

export type Redeemed =
  | { ok: true; trigger: Trigger }
  | { ok: false; error: 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id' };

export class Triggers {
  readonly #issued = new Map<string, Trigger & { until: number; used: boolean }>();

  constructor(
    readonly now: () => number,
    readonly life: number,
  ) {}

  issue(trigger: Trigger): string {
    const id = `${Math.floor(this.now())}.${this.#issued.size}.${randomId(12).toLowerCase()}`;
    this.#issued.set(id, { ...trigger, until: this.now() + this.life, used: false });
    return id;
  }

  redeem(id: string): Redeemed {
    const trigger = this.#issued.get(id);
    if (!trigger) return { ok: false, error: 'invalid_trigger_id' };
    if (trigger.used) return { ok: false, error: 'exchanged_trigger_id' };
    if (this.now() > trigger.until) return { ok: false, error: 'expired_trigger_id' };
    trigger.used = true;
    return { ok: true, trigger };
  }
}
