/** The exchanges of Slack and the services with the bot, for the traffic panel. */
import type { Traffic } from '../protocol.ts';
import type { Masker } from './masking.ts';

export type TrafficEntry = Omit<Traffic, 'id'>;

const MAX_ENTRIES = 300;
const MAX_LENGTH = 20_000;
const IN_PROGRESS = '…';

export class TrafficLog {
  readonly #entries: Traffic[] = [];
  readonly #listeners = new Set<(entry: Traffic) => void>();
  #last = 0;

  constructor(
    readonly mask: Masker,
    readonly now: () => number,
  ) {}

  /** Oldest first, at most 300. */
  get entries(): readonly Traffic[] {
    return this.#entries;
  }

  onEntry(listener: (entry: Traffic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds a finished exchange, with its secrets already masked. */
  add(exchange: TrafficEntry): void {
    const request = this.#shown(exchange.request);
    const response = this.#shown(exchange.response);
    this.#keep({ ...exchange, request, response, id: ++this.#last });
  }

  /** Adds an exchange in progress; the returned function ends it. */
  begin(direction: string, title: string, request: unknown): (status: string, response: unknown) => void {
    const startedAt = performance.now();
    const [shownTitle, shownRequest] = [this.#onceShown(title), this.#onceShown(request)];
    let shownResponse = () => '';
    const entry: Traffic = {
      id: ++this.#last,
      at: this.now(),
      direction,
      status: IN_PROGRESS,
      get title() {
        return shownTitle();
      },
      get request() {
        return shownRequest();
      },
      get response() {
        return shownResponse();
      },
    };
    this.#keep(entry);
    return (status, response) => {
      entry.status = status;
      entry.took = Math.round(performance.now() - startedAt);
      shownResponse = this.#onceShown(response);
      this.notify(entry);
    };
  }

  #keep(entry: Traffic): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    this.notify(entry);
  }

  notify(entry: Traffic): void {
    for (const listener of [...this.#listeners]) listener(entry);
  }

  /** Masks at the first look, which takes longer than the exchange and which most entries never get. */
  #onceShown(value: unknown): () => string {
    const json = JSON.stringify(value);
    let shown: string | undefined;
    return () => {
      shown ??= json === undefined ? '' : this.#shown(JSON.parse(json));
      return shown;
    };
  }

  #shown(value: unknown): string {
    const masked = this.mask(value);
    const text = typeof masked === 'string' ? masked : (JSON.stringify(masked, null, 2) ?? '');
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  }
}
