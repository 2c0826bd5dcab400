import type { ConfirmationDialog } from '@slack/types';
import { useState } from 'react';
import type { StateValue } from '../../protocol.ts';
import { useConfirm } from './Confirm.tsx';
import type { ElementProps } from './form.ts';
import { useSurface } from './surface.ts';

interface Interactive {
  type: string;
  action_id?: string;
  confirm?: ConfirmationDialog;
}

/** An element's value and the functions to change it: confirm, keep, and send when it dispatches. */
export function useElement({ element, blockId, dispatches }: ElementProps<Interactive>) {
  const surface = useSurface();
  const confirm = useConfirm();
  const [sending, setSending] = useState(false);
  const actionId = element.action_id ?? '';
  const identity = { type: element.type, block_id: blockId, action_id: actionId };

  const send = async (extra: Record<string, unknown>, values = surface.values) => {
    setSending(true);
    await surface.act({ ...identity, ...extra }, values);
    setSending(false);
  };
  const choose = async (chosen: Omit<StateValue, 'type'>) => {
    if (!(await confirm(element.confirm))) return;
    const values = surface.change(blockId, actionId, { type: element.type, ...chosen });
    if (dispatches) await send(chosen, values);
  };
  /** For elements without a value: buttons and overflow menus. */
  const press = async (extra: Record<string, unknown>) => {
    if (await confirm(element.confirm)) await send(extra);
  };
  const keep = (chosen: Omit<StateValue, 'type'>) =>
    surface.change(blockId, actionId, { type: element.type, ...chosen });

  const value = surface.values[blockId]?.[actionId];
  return { value, choose, press, keep, send, sending, disabled: surface.busy };
}
