/** The values of a message, a modal or the App Home, and how they are sent. */
import type { ActionsBlockElement, ConfirmationDialog, InputBlockElement, KnownBlock } from '@slack/types';
import { createContext, useContext, useRef, useState } from 'react';
import { initialOf, type StateValue, type StateValues, type SurfaceRef, VALUE_KEYS } from '../protocol.ts';
import { post, sentenceOf } from './api.ts';
import { useWorkspace } from './workspace.tsx';

export type AnyElement = ActionsBlockElement | InputBlockElement;

export interface ElementProps<E = AnyElement> {
  element: E;
  blockId: string;
  dispatches: boolean;
  label?: string;
  optional?: boolean;
}

export const blockIdOf = (block: { block_id?: string }, index: number) => block.block_id ?? `block-${index}`;

function elementsOf(block: KnownBlock): AnyElement[] {
  if (block.type === 'actions') return block.elements;
  if (block.type === 'input') return [block.element];
  return block.type === 'section' && block.accessory ? [block.accessory as AnyElement] : [];
}

/**
 * Carries the old values over into updated blocks. As in Slack, a value stays if its block ID and action ID stay,
 * unless its option is gone. A new initial value doesn't replace it.
 */
function carryOver(previous: StateValues, blocks: KnownBlock[]): StateValues {
  const values: StateValues = {};
  blocks.forEach((block, index) => {
    for (const element of elementsOf(block)) {
      const { type, action_id = '' } = element;
      const key = VALUE_KEYS[type];
      if (key === undefined || type === 'overflow') continue;
      const blockId = blockIdOf(block, index);
      const before = previous[blockId]?.[action_id];
      const initial = (element as unknown as Record<string, unknown>)[initialOf(key)];
      const first = initial ?? (key.endsWith('s') ? [] : null);
      const kept = before?.type === type && isStillOffered(element, before) ? before : { type, [key]: first };
      values[blockId] = { ...values[blockId], [action_id]: kept };
    }
  });
  return values;
}

function isStillOffered(element: AnyElement, { selected_option: chosen }: StateValue): boolean {
  if (element.type !== 'static_select' || !chosen) return true;
  const groups = element.option_groups ?? [];
  const options = [...(element.options ?? []), ...groups.flatMap((group) => group.options)];
  return options.some(({ value }) => value === chosen.value);
}

export interface Surface {
  surfaceRef: SurfaceRef;
  values: StateValues;
  change(blockId: string, actionId: string, value: StateValue): StateValues;
  errors: Record<string, string>;
}

const Context = createContext<Surface | null>(null);
export const SurfaceProvider = Context.Provider;

export function useSurface(): Surface {
  const surface = useContext(Context);
  if (!surface) throw new Error('Rendered outside a SurfaceProvider');
  return surface;
}

/** After an update, modals keep what was typed; messages return to their initial values. */
export function useSurfaceOf(
  surfaceRef: SurfaceRef,
  blocks: KnownBlock[],
  errors?: Record<string, string>,
): Surface {
  const [form, setForm] = useState(() => ({ blocks, values: carryOver({}, blocks) }));
  const latest = useRef(form.values);
  if (form.blocks !== blocks) {
    latest.current = carryOver(errors ? latest.current : {}, blocks);
    setForm({ blocks, values: latest.current });
  }
  const change: Surface['change'] = (blockId, actionId, value) => {
    const values = { ...latest.current, [blockId]: { ...latest.current[blockId], [actionId]: value } };
    latest.current = values;
    setForm((before) => ({ ...before, values }));
    return values;
  };
  return { surfaceRef, values: form.values, change, errors: errors ?? {} };
}

type Value = string | object | null;
type Interactive = { type: string; action_id?: string; confirm?: ConfirmationDialog };

export function useElement({ element, blockId, dispatches }: ElementProps<Interactive>) {
  const { surfaceRef, values, change } = useSurface();
  const { me, report, confirm } = useWorkspace();
  const [isSending, setSending] = useState(false);
  const { type, action_id = '' } = element;
  const key = VALUE_KEYS[type] ?? 'value';

  const send = async (extra: object, all = values) => {
    setSending(true);
    const action = { type, block_id: blockId, action_id, ...extra };
    const answer = await post('act', { as: me.id, surface: surfaceRef, action, values: all });
    setSending(false);
    if (!answer.ok) report(sentenceOf(answer));
  };
  const keep = (value: Value) => change(blockId, action_id, { type, [key]: value });
  const choose = async (value: Value) => {
    if (!(await confirm(element.confirm))) return;
    const all = keep(value);
    if (dispatches) await send({ [key]: value }, all);
  };
  const press = async (extra: object) => {
    if (await confirm(element.confirm)) await send(extra);
  };
  return { value: values[blockId]?.[action_id]?.[key] as unknown, keep, choose, press, send, isSending };
}
