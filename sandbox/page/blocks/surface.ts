import type { KnownBlock } from '@slack/types';
import { createContext, useContext, useRef, useState } from 'react';
import type { StateValue, StateValues, SurfaceRef } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';
import { carryOver, withValue } from './form.ts';

/** A message, a modal or the App Home: where blocks stand, what was chosen there, and how a choice is sent. */
export interface Surface {
  surfaceRef: SurfaceRef;
  values: StateValues;
  /** Keeps a choice and returns all values with it, for sending at once. */
  change(blockId: string, actionId: string, value: StateValue): StateValues;
  /** Resolves when the server has answered. */
  act(action: Record<string, unknown>, values?: StateValues): Promise<void>;
  /** Sentences beneath inputs, by block id. */
  errors: Record<string, string>;
  busy: boolean;
}

const Context = createContext<Surface | null>(null);
export const SurfaceProvider = Context.Provider;

export function useSurface(): Surface {
  const surface = useContext(Context);
  if (!surface) throw new Error('Drawn outside of a surface');
  return surface;
}

/** The values of a view or message. Modals keep what was typed when they are redrawn, messages begin anew. */
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
    if (!answer.ok) report(sentenceOf(answer, 'That did not work.'));
  };
  return { surfaceRef, values: form.values, change, act, errors: {}, busy: false };
}
