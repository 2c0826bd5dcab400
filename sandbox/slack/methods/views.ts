import { viewOf } from '../payloads.ts';
import type { Trigger } from '../triggers.ts';
import { type ViewInput, validateView } from '../validate-view.ts';
import type { StoredView } from '../views.ts';
import {
  type Arguments,
  type Method,
  type MethodContext,
  MethodError,
  textArgument,
  withProblems,
} from './method.ts';

function readView(given: unknown, kind: 'modal' | 'home'): ViewInput {
  const verdict = validateView(parseArgument(given), kind);
  if (!verdict.ok) throw new MethodError(verdict.error, withProblems(verdict.problems));
  return verdict.view;
}

function parseArgument(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new MethodError('invalid_arguments', withProblems(['must be JSON [json-pointer:/view]']));
  }
}

function redeem(args: Arguments, { triggers }: MethodContext): Trigger {
  const redeemed = triggers.redeem(textArgument(args.trigger_id));
  if (!redeemed.ok) throw new MethodError(redeemed.error);
  return redeemed.trigger;
}

function viewResult(frame: StoredView | undefined) {
  if (!frame) throw new MethodError('push_limit_reached');
  return { ok: true as const, view: viewOf(frame) };
}

function findView(args: Arguments, { views }: MethodContext): StoredView {
  const { view_id: id, external_id: externalId } = args;
  if (!id && !externalId) throw new MethodError('invalid_arguments');
  const frame = id ? views.find(textArgument(id)) : views.findExternal(textArgument(externalId));
  if (frame?.view.type !== 'modal') throw new MethodError('not_found');
  return frame;
}

function checkHash(args: Arguments, frame: StoredView | undefined): void {
  if (args.hash && frame && args.hash !== frame.hash) throw new MethodError('hash_conflict');
}

function checkExternalId(view: ViewInput, { views }: MethodContext): void {
  if (view.external_id && views.findExternal(view.external_id))
    throw new MethodError('duplicate_external_id');
}

export const views: Record<string, Method> = {
  /** Opened from inside a modal, the view is pushed on top of it. */
  'views.open': {
    required: ['trigger_id', 'view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      checkExternalId(view, context);
      const { person, viewId } = redeem(args, context);
      const isInside = viewId !== undefined && context.views.stack(person).some(({ id }) => id === viewId);
      return viewResult(isInside ? context.views.push(person, view) : context.views.open(person, view));
    },
  },
  'views.push': {
    required: ['trigger_id', 'view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      checkExternalId(view, context);
      const { person } = redeem(args, context);
      if (context.views.stack(person).length === 0) throw new MethodError('not_found');
      return viewResult(context.views.push(person, view));
    },
  },
  'views.update': {
    required: ['view'],
    run(args, context) {
      const view = readView(args.view, 'modal');
      const frame = findView(args, context);
      checkHash(args, frame);
      context.views.replace(frame, view);
      return viewResult(frame);
    },
  },
  'views.publish': {
    required: ['user_id', 'view'],
    run(args, context) {
      if (!context.manifest.tabs.home) throw new MethodError('not_enabled');
      const view = readView(args.view, 'home');
      const person = context.workspace.person(textArgument(args.user_id));
      if (!person) throw new MethodError('user_not_found');
      checkHash(args, context.views.home(person.id));
      return viewResult(context.views.publish(person.id, view));
    },
  },
};
