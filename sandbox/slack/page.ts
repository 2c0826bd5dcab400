/** Serves the page: its files, its verbs, and the stream of snapshots. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { ServerEvent, Snapshot, Traffic, Verbs } from '../protocol.ts';
import { parseFieldValues, readBody, sendJson } from './http.ts';
import type { TrafficLog } from './traffic.ts';

type Outcome = { ok: boolean } & Record<string, unknown>;

/** One function per verb. */
export type VerbHandlers = { [V in keyof Verbs]: (body: Verbs[V]) => Promise<Outcome> };

const name = z.string().min(1);
const surface = z.union([z.object({ viewId: name }), z.object({ channel: name, ts: name })]);
const values = z.record(z.string(), z.record(z.string(), z.looseObject({ type: z.string() })));

const BODIES: { [V in keyof Verbs]: z.ZodType } = {
  say: z.object({ as: name, channel: name, text: z.string(), threadTs: name.optional() }),
  act: z.object({ as: name, surface, action: z.record(z.string(), z.unknown()), values }),
  submit: z.object({ as: name, viewId: name, values }),
  close: z.object({ as: name, viewId: name }),
  suggest: z.object({ as: name, surface, blockId: name, actionId: name, value: z.string() }),
  home: z.object({ as: name }),
  step: z.object({ as: name, step: name, inputs: z.record(z.string(), z.unknown()) }),
  uninstall: z.object({ as: name }),
  switch: z.object({ service: name, mode: name }),
  skip: z.object({
    as: name,
    to: z.union([
      z.strictObject({ time: z.string().regex(/^\d\d:\d\d$/) }),
      z.strictObject({
        hours: z
          .number()
          .positive()
          .max(24 * 400),
      }),
    ]),
  }),
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

const COALESCE_MS = 50;
const KEEP_ALIVE_MS = 15_000;

export interface PageParts {
  handlers: VerbHandlers;
  /** The person with this ID, or the first person when it is null. */
  person: (id: string | null) => string | undefined;
  onChange: (listener: () => void) => () => void;
  traffic: TrafficLog;
  snapshot: (person: string) => Snapshot;
  /** The folder of the built page. */
  dir?: string | undefined;
}

export class Page {
  readonly #streams = new Set<() => void>();

  constructor(readonly parts: PageParts) {}

  async verb(verb: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!Object.hasOwn(BODIES, verb)) return sendJson(response, 404, { ok: false, error: 'unknown_verb' });
    const known = verb as keyof Verbs;
    const given = BODIES[known].safeParse(
      parseFieldValues(request.headers['content-type'], await readBody(request)),
    );
    if (!given.success) return sendJson(response, 400, { ok: false, error: 'invalid_body' });
    const handler = this.parts.handlers[known] as (body: unknown) => Promise<Outcome>;
    sendJson(response, 200, await handler(given.data));
  }

  /** Sends a snapshot and the traffic so far, then what changes, at most every 50 ms. */
  stream(as: string | null, response: ServerResponse): void {
    const { onChange, traffic, snapshot } = this.parts;
    const person = this.parts.person(as);
    if (person === undefined) {
      sendJson(response, 404, { ok: false, error: 'user_not_found' });
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const send = (event: ServerEvent) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    const newEntries = new Map<number, Traffic>();
    let isStale = false;
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      timer = undefined;
      if (isStale) send(snapshot(person));
      if (newEntries.size > 0) send({ type: 'traffic', entries: [...newEntries.values()] });
      isStale = false;
      newEntries.clear();
    };
    const scheduleFlush = () => {
      timer ??= setTimeout(flush, COALESCE_MS);
    };
    const unsubscribe = [
      onChange(() => {
        isStale = true;
        scheduleFlush();
      }),
      traffic.onEntry((entry) => {
        newEntries.set(entry.id, entry);
        scheduleFlush();
      }),
    ];
    const alive = setInterval(() => response.write(': \n\n'), KEEP_ALIVE_MS);
    const end = () => {
      for (const stop of unsubscribe) stop();
      clearTimeout(timer);
      clearInterval(alive);
      this.#streams.delete(end);
      response.end();
    };
    this.#streams.add(end);
    response.once('close', end);
    send(snapshot(person));
    send({ type: 'traffic', entries: [...traffic.entries] });
  }

  async file(path: string, response: ServerResponse): Promise<void> {
    const { dir } = this.parts;
    const wanted = resolve(dir ?? '', `.${path === '/' ? '/index.html' : decodeURIComponent(path)}`);
    const isInside = dir !== undefined && wanted.startsWith(resolve(dir) + sep);
    const content = isInside ? await readFile(wanted).catch(() => undefined) : undefined;
    if (!content) return sendJson(response, 404, { ok: false, error: 'not_found' });
    const type = TYPES[extname(wanted)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache', ...SECURITY_HEADERS });
    response.end(content);
  }

  close(): void {
    for (const end of [...this.#streams]) end();
  }
}

const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' };
