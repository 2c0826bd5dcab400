/** `POST /api/<method>`: authorizes and runs Web API methods. */
import { apps } from './methods/apps.ts';
import { chat } from './methods/chat.ts';
import { files } from './methods/files.ts';
import { functions } from './methods/functions.ts';
import { history } from './methods/history.ts';
import {
  type Arguments,
  type Method,
  type MethodContext,
  MethodError,
  requireScope,
} from './methods/method.ts';
import { reads } from './methods/reads.ts';
import { views } from './methods/views.ts';
import type { TrafficLog } from './traffic.ts';

const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...reads, ...history, ...chat, ...files, ...views, ...apps, ...functions }),
);

export interface Call {
  method: string;
  args: Arguments;
  /** The body of the answer; undefined when a test made the call hang or fail with an HTTP status. */
  response: Record<string, unknown> | undefined;
  at: number;
}

/** A failure that a test injects: an API error, an HTTP status, or no answer. */
export type Failure = { error: string } | { status: number; retryAfter?: number } | 'hang';

export type WebApiAnswer =
  | { status: number; headers?: Record<string, string>; body: Record<string, unknown> | string }
  | 'hang';

/** Whose token it is. */
export type Bearer = 'app' | { context: MethodContext } | { error: string };

export class WebApi {
  readonly calls: Call[] = [];
  readonly #failures = new Map<string, Failure[]>();

  constructor(
    /** The context of methods that need no workspace's token. */
    readonly context: MethodContext,
    readonly bearerOf: (token: string) => Bearer,
    readonly traffic: TrafficLog,
  ) {}

  /** Makes the next `times` calls of `method` fail. */
  failNext(method: string, failure: Failure, times = 1): void {
    const waiting = this.#failures.get(method) ?? [];
    this.#failures.set(method, [...waiting, ...Array<Failure>(times).fill(failure)]);
  }

  answer(method: string, token: string | undefined, args: Arguments): WebApiAnswer {
    const end = this.traffic.begin('bot→slack', method, decodeArguments(args));
    const answer = this.#answer(method, token, args);
    const body = answer === 'hang' || typeof answer.body === 'string' ? undefined : answer.body;
    this.calls.push({
      method,
      args: decodeArguments(args),
      response: body,
      at: this.context.workspace.now(),
    });
    if (answer === 'hang') end('no answer', '');
    else end(outcome(answer), answer.body);
    this.context.workspace.changed();
    return answer;
  }

  #answer(method: string, token: string | undefined, args: Arguments): WebApiAnswer {
    const failure = this.#failures.get(method)?.shift();
    if (failure) return failed(failure);
    try {
      return { status: 200, body: this.#run(method, token, args) };
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      return { status: 200, body: { ok: false, error: error.code, ...error.detail } };
    }
  }

  #run(name: string, token: string | undefined, args: Arguments): Record<string, unknown> {
    const method = METHODS.get(name);
    if (!method) throw new MethodError('unknown_method', { req_method: name });
    const context = this.#authorize(method, token);
    if (method.scope) requireScope(context, method.scope);
    const missing = method.required?.find((name) => args[name] === undefined || args[name] === '');
    if (missing) throw new MethodError('missing_argument', { argument: missing });
    return method.run(args, context);
  }

  #authorize({ appToken, needsNoToken }: Method, token: string | undefined): MethodContext {
    if (needsNoToken) return this.context;
    if (!token) throw new MethodError('not_authed');
    const bearer = this.bearerOf(token);
    if (bearer !== 'app' && 'error' in bearer) throw new MethodError(bearer.error);
    if ((bearer === 'app') !== (appToken === true)) throw new MethodError('not_allowed_token_type');
    return bearer === 'app' ? this.context : bearer.context;
  }
}

function failed(failure: Failure): WebApiAnswer {
  if (failure === 'hang') return 'hang';
  if ('error' in failure) return { status: 200, body: { ok: false, error: failure.error } };
  const { status, retryAfter } = failure;
  return {
    status,
    ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
    body: status === 429 ? { ok: false, error: 'ratelimited' } : `HTTP ${status}`,
  };
}

function outcome({ status, body }: Exclude<WebApiAnswer, 'hang'>): string {
  const { ok, error } = typeof body === 'string' ? {} : body;
  return ok === false ? `${status} ${String(error)}` : String(status);
}

/** Forms carry objects as JSON text. */
function decodeArguments(args: Arguments): Arguments {
  const { token: _token, ...rest } = args;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, decodeArgument(value)]));
}

function decodeArgument(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
