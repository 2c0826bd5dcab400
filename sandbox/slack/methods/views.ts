import { viewOf } from '../payloads.ts';
import type { Trigger } from '../triggers.ts';
import { type GivenView, judgeView } from '../view-shape.ts';
import type { Frame } from '../views.ts';
import {
  type Arguments,
  explained,
  type Method,
  type MethodContext,
  Refusal,
  textArgument,
} from './method.ts';

function readView(given: unknown, kind: 'modal' | 'home'): GivenView {
  const verdict = judgeView(parsed(given), kind);
  if (!verdict.ok) throw new Refusal(verdict.error, explained(verdict.problems));
  return verdict.view;
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new Refusal('invalid_arguments', explained(['must be JSON [json-pointer:/view]']));
  }
}

function redeem(args: Arguments, { triggers }: MethodContext): Trigger {
  const redeemed = triggers.redeem(textArgument(args.trigger_id));
  if (!redeemed.ok) throw new Refusal(redeemed.error);
  return redeemed.trigger;
}

function shown(frame: Frame | undefined) {
  if (!frame) throw new Refusal('push_limit_reached');
  return { ok: true as const, view: viewOf(frame) };
}

function named(args: Arguments, { views }: MethodContext): Frame {
  const { view_id: id, external_id: externalId } = args;
  if (!id && !externalId) throw new Refusal('invalid_arguments');
  const frame = id ? views.find(textArgument(id)) : views.findExternal(textArgument(externalId));
  if (frame?.view.type !== 'modal') throw new Refusal('not_found');
  return frame;
}

function compareHash(args: Arguments, frame: Frame | undefined): void {
  if (args.hash && frame && args.hash !== frame.hash) throw new Refusal('hash_conflict');
}

function refuseTaken(view: GivenView, { views }: MethodContext): void {
  if (view.external_id && views.findExternal(view.external_id)) throw new Refusal('duplicate_external_id');
}

export const views: Record<string, Method> = {
  /** From inside a modal it lies on top of it, as if it had been pushed. */
  'views.open': {
    required: ['trigger_id', 'view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      refuseTaken(view, context);
      const { person, viewId } = redeem(args, context);
      const isInside = viewId !== undefined && context.views.stack(person).some(({ id }) => id === viewId);
      return shown(isInside ? context.views.push(person, view) : context.views.open(person, view));
    },
  },
  'views.push': {
    required: ['trigger_id', 'view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      refuseTaken(view, context);
      const { person } = redeem(args, context);
      if (context.views.stack(person).length === 0) throw new Refusal('not_found');
      return shown(context.views.push(person, view));
    },
  },
  'views.update': {
    required: ['view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      const frame = named(args, context);
      compareHash(args, frame);
      context.views.replace(frame, view);
      return shown(frame);
    },
  },
  'views.publish': {
    required: ['user_id', 'view'],
    run(args, context) {
      if (!context.manifest.tabs.home) throw new Refusal('not_enabled');
      const view = readView(args.view, 'home');
      const person = context.workspace.person(textArgument(args.user_id));
      if (!person) throw new Refusal('user_not_found');
      compareHash(args, context.views.home(person.id));
      return shown(context.views.publish(person.id, view));
    },
  },
};
