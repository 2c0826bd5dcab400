/** The modes that the fake services share, and the switch between modes. */
import { htmlReply, type ServiceAnswer, type ServiceReply, type ServiceRequest } from './fake-service.ts';
import type { Switch } from './protocol.ts';

/** `Style`: what a mode can change about a service's normal answers. */
type Behaviour<Style> = (
  asked: ServiceRequest,
  ordinary: (style?: Partial<Style>) => ServiceReply | Promise<ServiceReply>,
) => ServiceAnswer | Promise<ServiceAnswer>;

export interface Mode<Style = unknown> {
  mode: string;
  label: string;
  hint: string;
  /** Called when the mode is chosen; returns its behaviour with fresh state. */
  enter: () => Behaviour<Style>;
  /** Called when the next mode is chosen. */
  leave?: () => void;
}

const HUGE_CHUNK = 'x'.repeat(64 * 1024);
const HUGE_CHUNKS = 320;

function* huge(): Generator<string> {
  yield '{"data":"';
  for (let i = 0; i < HUGE_CHUNKS; i++) yield HUGE_CHUNK;
  yield '"}';
}

/** @param slowFor in ms */
export function commonModes(slowFor: number): Mode[] {
  return [
    mode('healthy', 'Healthy', 'Answers correctly, at once.', (_asked, ordinary) => ordinary()),
    mode('slow', 'Slow', `Answers correctly, after ${slowFor / 1000} s.`, async (asked, ordinary) => {
      await asked.pause(slowFor);
      return ordinary();
    }),
    mode('hang', 'Hanging', 'Accepts the request and never answers.', () => 'hang'),
    mode('reset', 'Connection reset', 'Resets the connection.', () => 'reset'),
    mode('html', 'A web page', 'Returns 200 with HTML, like a login page or a proxy.', () =>
      htmlReply(200, 'Please sign in'),
    ),
    mode('redirect', 'Redirect', 'Redirects to another host (302).', () =>
      htmlReply(302, 'Found', { Location: 'https://elsewhere.example/login' }),
    ),
    mode('too-large', 'Too large', 'Streams 20 MB.', () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: huge(),
    })),
    mode('truncated', 'Cut short', 'Ends the JSON half-way.', async (_asked, ordinary) => {
      const reply = await ordinary();
      const body = String(reply.body ?? '');
      return { ...reply, body: body.slice(0, Math.ceil(body.length / 2)) };
    }),
  ];
}

/** A mode without state. */
export function mode<Style>(
  name: string,
  label: string,
  hint: string,
  behaviour: Behaviour<Style>,
): Mode<Style> {
  return { mode: name, label, hint, enter: () => behaviour };
}

/** Holds a service's current mode. `setMode` throws a RangeError for an unknown mode. */
export function createModeSwitch<Style>(service: string, modes: readonly Mode<Style>[]) {
  let chosen = find('healthy');
  let behaviour = chosen.enter();

  function find(name: string): Mode<Style> {
    const found = modes.find((candidate) => candidate.mode === name);
    if (!found) throw new RangeError(`The ${service} service has no mode "${name}".`);
    return found;
  }

  return {
    modes: modes.map(({ mode, label, hint }) => ({ mode, label, hint })) satisfies Switch['modes'],
    mode: () => chosen.mode,
    setMode(name: string) {
      const next = find(name);
      chosen.leave?.();
      chosen = next;
      behaviour = chosen.enter();
    },
    behaviour: (): Behaviour<Style> => behaviour,
  };
}
