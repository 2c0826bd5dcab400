import type { Button, Overflow, PlainTextOption, StaticSelect } from '@slack/types';
import { button, overflow, select } from './kit/atoms.ts';
import { fitsOption, SLACK_LIMITS } from './kit/limits.ts';

/** The most buttons that stand in for the periods of a select. */
const PERIOD_BUTTONS = 4;

/** A button carries more than an option: a long list of projects keeps its choices as buttons. */
const asButtons = (options: readonly PlainTextOption[], id: string): Button[] =>
  options.flatMap(({ text, value = '' }, at) =>
    value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}-${at}`, text.text, { value })],
  );

/** The ⋯ menu of an answer, at most five choices that each run a command. */
export function moreMenu(options: readonly PlainTextOption[]): (Overflow | Button)[] {
  const shown = options.slice(0, SLACK_LIMITS.overflowOptions);
  return shown.every(fitsOption) ? [overflow('rerun:more', shown)] : asButtons(shown, 'more');
}

/** The select of periods, with the current one chosen. */
export function periodMenu(
  options: readonly PlainTextOption[],
  current: PlainTextOption | undefined,
): (StaticSelect | Button)[] {
  if (options.every(fitsOption)) return [select('rerun:period', 'Period', options, current)];
  const others = options.filter((one) => one !== current).slice(0, PERIOD_BUTTONS);
  return asButtons(others, 'period');
}
