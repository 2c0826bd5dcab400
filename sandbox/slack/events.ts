/** The Events API: sends events to the bot, and retries those it does not acknowledge. */
import type { Ack, Delivery, Retry } from './delivery.ts';
import type { Manifest } from './manifest.ts';
import { eventOf } from './payloads.ts';
import type { Workspace } from './workspace.ts';
import { randomId } from './workspace.ts';

const REASONS: Record<Exclude<Ack['how'], 'acked'>, Retry['reason']> = {
  refused: 'http_error',
  timeout: 'http_timeout',
  unreachable: 'connection_failed',
};

export class Events {
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    readonly workspace: Workspace,
    readonly manifest: Manifest,
    readonly delivery: () => Delivery,
    /** The delay before each retry, in ms. */
    readonly retries: readonly number[],
  ) {}

  /** Sends the event if the app is installed and subscribes to `name`; resolves after the first attempt. */
  async publish(name: string, event: Record<string, unknown>): Promise<void> {
    if (this.manifest.events.has(name) && this.workspace.isInstalled) await this.send(event);
  }

  /** Sends the event even if the app does not subscribe to it. */
  async send(event: Record<string, unknown>): Promise<Ack> {
    const at = this.workspace.now();
    const payload = eventOf(
      { event_ts: String(at / 1000), ...event },
      `Ev${randomId(9)}`,
      at,
      this.workspace,
    );
    return this.#attempt(payload, 0);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #attempt(payload: Record<string, unknown>, number: number, before?: Ack): Promise<Ack> {
    const reason = before && before.how !== 'acked' ? REASONS[before.how] : undefined;
    const ack = await this.delivery().send('events_api', payload, reason && { number, reason });
    const wait = this.retries[number];
    const isOver = ack.how === 'acked' || (ack.how === 'refused' && ack.noRetry);
    if (!isOver && wait !== undefined) this.#later(wait, () => this.#attempt(payload, number + 1, ack));
    return ack;
  }

  #later(wait: number, attempt: () => Promise<unknown>): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void attempt();
    }, wait);
    this.#timers.add(timer);
    timer.unref();
  }
}
