/** Validates views like Slack. */
import { z } from 'zod';
import { blockProblems, elementsOf, problemsOfBlocks } from './blocks.ts';
import { plain } from './composition-objects.ts';
import { LIMITS } from './limits.ts';

const common = {
  blocks: z.array(z.record(z.string(), z.unknown())),
  private_metadata: z.string().max(LIMITS.view.privateMetadata).optional(),
  callback_id: z.string().max(LIMITS.id).optional(),
  external_id: z.string().max(LIMITS.id).optional(),
};

const shape = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('home'), ...common }),
  z.strictObject({
    type: z.literal('modal'),
    ...common,
    title: plain(LIMITS.view.title),
    submit: plain(LIMITS.view.submit).optional(),
    close: plain(LIMITS.view.close).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    submit_disabled: z.boolean().optional(),
  }),
]);

export type ViewInput = Omit<z.infer<typeof shape>, 'blocks'> & {
  blocks: Record<string, unknown>[];
} & Partial<Pick<Extract<z.infer<typeof shape>, { type: 'modal' }>, ModalOnly>>;

type ModalOnly = 'title' | 'submit' | 'close' | 'clear_on_close' | 'notify_on_close' | 'submit_disabled';

export type ViewValidation =
  | { ok: true; view: ViewInput }
  | { ok: false; error: 'invalid_arguments' | 'view_too_large'; problems: string[] };

/** @param kind `home` for `views.publish`, `modal` for all other methods */
export function validateView(given: unknown, kind: 'modal' | 'home'): ViewValidation {
  const checked = shape.safeParse(given);
  if (!checked.success) return invalid(blockProblems(checked.error, ['view']));
  const view = checked.data as ViewInput;
  if (view.type !== kind) return invalid([`must be a ${kind} [json-pointer:/view/type]`]);
  if (Buffer.byteLength(JSON.stringify(view)) > LIMITS.view.bytes)
    return { ok: false, error: 'view_too_large', problems: [] };
  const problems = problemsOfBlocks(view.blocks, kind).map((problem) =>
    problem.replace('[json-pointer:/blocks', '[json-pointer:/view/blocks'),
  );
  if (problems.length > 0) return invalid(problems);
  return needsSubmit(view) ? invalid(['`submit` is required [json-pointer:/view]']) : { ok: true, view };
}

function invalid(problems: string[]): ViewValidation {
  return { ok: false, error: 'invalid_arguments', problems };
}

/** Slack accepts input blocks only in a modal with a submit button, unless all of them set `dispatch_action`. */
function needsSubmit(view: ViewInput): boolean {
  if (view.type !== 'modal' || view.submit) return false;
  return view.blocks.some((block) => block.type === 'input' && block.dispatch_action !== true);
}

/** Returns copies with an ID for every block and element, as Slack generates them when the app sends none. */
export function withIds<T extends { type?: unknown }>(blocks: readonly T[], invent: () => string): T[] {
  return structuredClone(blocks).map((sent) => {
    const block = sent as Record<string, unknown>;
    block.block_id ??= invent();
    for (const element of elementsOf(block)) {
      if (element.type !== 'image') element.action_id ??= invent();
    }
    if (Array.isArray(block.child_blocks)) block.child_blocks = withIds(block.child_blocks, invent);
    return block as T;
  });
}
