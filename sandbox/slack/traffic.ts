/** The bot's exchanges with Slack and the services, for the traffic panel. Secrets are masked. */
import type { Traffic } from '../protocol.ts';

const MASK = '•••';
const MAX_ENTRIES = 300;
const MAX_LENGTH = 20_000;

const SECRET_NAME = /token|secret|passw|signature|authorization|cookie/i;
/** Tokens of Slack and the identity service. */
const SECRET_SHAPE = /\bx(?:ox[a-z]|app|wfp)-[\w-]{6,}|\bxoxe\.[\w.-]{6,}|\bgAAAA[\w=-]{12,}/g;

/** @param known secrets without a recognizable form; read at every call */
export function createMasker(known: () => readonly string[]): (value: unknown) => unknown {
  const scrub = (text: string) =>
    known()
      .filter(({ length }) => length >= 6)
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, MASK), text.replace(SECRET_SHAPE, MASK));
  /** @param isSecret the name of the value, or of one around it, sounds secret */
  const walk = (value: unknown, isSecret: boolean): unknown => {
    if (typeof value === 'string') return isSecret ? MASK : scrub(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    // An action's value stands beside its IDs.
    const { action_id: action, block_id: block } = value as Record<string, unknown>;
    const hasSecret = isSecret || SECRET_NAME.test(`${action} ${block}`);
    const entries = Object.entries(value).map(([key, part]) => {
      if (key === 'type') return [key, part];
      if (key === 'value' || key === 'initial_value') return [key, walk(part, hasSecret)];
      // Lists are exempt: otherwise a view with a secret-sounding name would be masked whole.
      return [scrub(key), walk(part, isSecret || (SECRET_NAME.test(key) && !Array.isArray(part)))];
    });
    return Object.fromEntries(entries);
  };
  return (value) => walk(value, false);
}

export interface Entry extends Omit<Traffic, 'request' | 'response'> {
  request: unknown;
  response: unknown;
}

export type Exchange = Omit<Entry, 'id'>;

export class TrafficLog {
  readonly listeners = new Set<(entry: Entry) => void>();
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  #last = 0;

  constructor(
    readonly mask: (value: unknown) => unknown,
    readonly now: () => number,
  ) {}

  get entries(): Traffic[] {
    return this.#entries.map((entry) => this.shown(entry));
  }

  /** Masked only when shown, because masking takes longer than the exchange. */
  shown(entry: Entry): Traffic {
    const text = (value: unknown) => {
      const masked = this.mask(value);
      const shown = typeof masked === 'string' ? masked : (JSON.stringify(masked, null, 2) ?? '');
      return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown;
    };
    const { title, request, response } = entry;
    return { ...entry, title: text(title), request: text(request), response: text(response) };
  }

  add(exchange: Exchange): void {
    this.#keep({ ...exchange, id: ++this.#last });
  }

  /** Adds an exchange in progress. @returns a function that ends it */
  begin(direction: string, title: string, request: unknown): (status: string, response: unknown) => void {
    const startedAt = performance.now();
    const started = { id: ++this.#last, at: this.now(), direction, title, status: '…' };
    const entry: Entry = { ...started, request: structuredClone(request), response: '' };
    this.#keep(entry);
    return (status, response) => {
      const took = Math.round(performance.now() - startedAt);
      Object.assign(entry, { status, took, response: structuredClone(response) });
      this.#notify(entry);
    };
  }

  #keep(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    this.#notify(entry);
  }

  #notify(entry: Entry): void {
    for (const listener of this.listeners) listener(entry);
  }
}
