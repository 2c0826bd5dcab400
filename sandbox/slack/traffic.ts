/** The exchanges of Slack and the services with the bot, for the traffic panel, without their secrets. */
import type { Traffic } from '../protocol.ts';

export type TrafficEntry = Omit<Traffic, 'id'>;

export const MASK = '•••';
const MAX_ENTRIES = 300;
const MAX_LENGTH = 20_000;

const SECRET_NAME = /token|secret|passw|signature|authorization|cookie/i;
/** Tokens of Slack and the identity service, anywhere in a text. */
const SECRET_SHAPE = /\bx(?:ox[a-z]|app|wfp)-[\w-]{6,}|\bxoxe\.[\w.-]{6,}|\bgAAAA[\w=-]{12,}/g;

/** @param known other secrets, which have no recognizable form; read at every call */
export function createMasker(known: () => readonly string[]): (value: unknown) => unknown {
  const scrub = (text: string) =>
    known()
      .filter(({ length }) => length >= 6)
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, MASK), text.replace(SECRET_SHAPE, MASK));
  /** @param isSecret whether it is, or is in, what has the name of a secret */
  const walk = (value: unknown, isSecret: boolean): unknown => {
    if (typeof value === 'string') return isSecret ? MASK : scrub(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    // An action has its value beside its IDs.
    const { action_id: action, block_id: block } = value as Record<string, unknown>;
    const hasSecret = isSecret || SECRET_NAME.test(`${action} ${block}`);
    const entries = Object.entries(value).map(([key, part]) => {
      if (key === 'type') return [key, part];
      if (key === 'value' || key === 'initial_value') return [key, walk(part, hasSecret)];
      // Not a list: a view whose name sounds secret is shown.
      return [scrub(key), walk(part, isSecret || (SECRET_NAME.test(key) && !Array.isArray(part)))];
    });
    return Object.fromEntries(entries);
  };
  return (value) => walk(value, false);
}

export class TrafficLog {
  /** Oldest first, at most 300. */
  readonly entries: Traffic[] = [];
  readonly listeners = new Set<(entry: Traffic) => void>();
  #last = 0;

  constructor(
    readonly mask: (value: unknown) => unknown,
    readonly now: () => number,
  ) {}

  /** Adds a finished exchange, with its secrets already masked. */
  add(exchange: TrafficEntry): void {
    const [request, response] = [this.#shown(exchange.request), this.#shown(exchange.response)];
    this.#keep({ ...exchange, request, response, id: ++this.#last });
  }

  /** Adds an exchange in progress; the returned function ends it. */
  begin(direction: string, title: string, request: unknown): (status: string, response: unknown) => void {
    const startedAt = performance.now();
    const [shownTitle, shownRequest] = [this.#onceShown(title), this.#onceShown(request)];
    let shownResponse = () => '';
    const entry: Traffic = {
      ...{ id: ++this.#last, at: this.now(), direction, status: '…' },
      title: '',
      request: '',
      response: '',
    };
    Object.defineProperties(entry, {
      title: { get: shownTitle, enumerable: true },
      request: { get: shownRequest, enumerable: true },
      response: { get: () => shownResponse(), enumerable: true },
    });
    this.#keep(entry);
    return (status, response) => {
      entry.status = status;
      entry.took = Math.round(performance.now() - startedAt);
      shownResponse = this.#onceShown(response);
      this.#notify(entry);
    };
  }

  #keep(entry: Traffic): void {
    this.entries.push(entry);
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
    this.#notify(entry);
  }

  #notify(entry: Traffic): void {
    for (const listener of [...this.listeners]) listener(entry);
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
