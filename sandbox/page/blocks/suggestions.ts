import { useEffect, useRef, useState } from 'react';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';
import { type Item, itemsOf, type OptionLists, type SelectElement } from './options.ts';
import { useSurface } from './surface.ts';

/** The pause in typing after which the bot is asked. */
const TYPING_MS = 250;
/** Slack's default. */
const MIN_QUERY = 3;

/** The bot's options for an external select. Only the answer to the latest query is used. */
export function useSuggestions(blockId: string, element: SelectElement, isExternal: boolean) {
  const { me } = useWorkspace();
  const { surfaceRef } = useSurface();
  const [items, setItems] = useState<Item[]>([]);
  const [note, setNote] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const least = ('min_query_length' in element ? element.min_query_length : undefined) ?? MIN_QUERY;

  const fetchItems = async (value: string) => {
    const question = ++latest.current;
    const actionId = element.action_id ?? '';
    const answer = await post('suggest', { as: me.id, surface: surfaceRef, blockId, actionId, value });
    if (question !== latest.current) return;
    setItems(answer.ok ? itemsOf(answer as OptionLists) : []);
    setNote(answer.ok ? undefined : sentenceOf(answer, 'The options could not be loaded.'));
  };
  const ask = (value: string) => {
    if (!isExternal) return;
    clearTimeout(timer.current);
    if (value.length < least) {
      latest.current++;
      setItems([]);
      setNote(`Type at least ${least} character${least === 1 ? '' : 's'}.`);
      return;
    }
    setNote('Loading…');
    timer.current = setTimeout(() => void fetchItems(value), value ? TYPING_MS : 0);
  };
  return { items, note, ask };
}
