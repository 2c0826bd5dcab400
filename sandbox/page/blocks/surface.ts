import type { KnownBlock } from '@slack/types';
import { createContext, useContext, useRef, useState } from 'react';
import type { StateValue, StateValues, SurfaceRef } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';
import { carryOver, withValue } from './form.ts';

/** A message, a modal or the App Home: its values and how actions are sent from it. */
export interface Surface {
  surfaceRef: SurfaceRef;
  values: StateValues;
  /** Saves a value and returns all values including it. */
  change(blockId: string, actionId: string, value: StateValue): StateValues;
  /** Resolves when the server has answered. */
  act(action: Record<string, unknown>, values?: StateValues): Promise<void>;
  /** Errors by block ID. */
  errors: Record<string, string>;
  busy: boolean;
}

const Context = createContext<Surface | null>(null);
export const SurfaceProvider = Context.Provider;

export function useSurface(): Surface {
  const surface = useContext(Context);
  if (!surface) throw new Error('Rendered outside a SurfaceProvider');
  return surface;
}

/** The state of a surface. After an update, modals keep what was typed; messages start again. */
export function useSurfaceOf(surfaceRef: SurfaceRef, blocks: KnownBlock[], keepsTyped: boolean): Surface {
  const { me, channel, report } = useWorkspace();
  const begin = (held: StateValues) => carryOver(held, blocks, channel?.id);
  const [form, setForm] = useState(() => ({ blocks, values: begin({}) }));
  const latest = useRef(form.values);
  if (form.blocks !== blocks) {
    const values = begin(keepsTyped ? form.values : {});
    latest.current = values;
    setForm({ blocks, values });
  }

  const change: Surface['change'] = (blockId, actionId, value) => {
    const values = withValue(latest.current, blockId, actionId, value);
    latest.current = values;
    setForm((before) => ({ ...before, values }));
    return values;
  };
  const act: Surface['act'] = async (action, values = latest.current) => {
    const answer = await post('act', { as: me.id, surface: surfaceRef, action, values });
    if (!answer.ok) report(sentenceOf(answer, 'The action failed.'));
  };
  return { surfaceRef, values: form.values, change, act, errors: {}, busy: false };
}
