import type { KnownBlock } from '@slack/types';
import type { StateValue, StateValues } from '../../protocol.ts';
import { type AnyElement, inputsOf } from './form.ts';

/** Slack's own validation before a view is submitted: block ID → error. */
export function validateInputs(blocks: KnownBlock[], values: StateValues): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { block, blockId, element } of inputsOf(blocks)) {
    const value = values[blockId]?.[element.action_id ?? ''];
    const problem = isEmpty(value)
      ? !block.optional && 'Please complete this required field.'
      : valueProblem(element, value?.value ?? '');
    if (problem) problems[blockId] = problem;
  }
  return problems;
}

function isEmpty(value: StateValue | undefined): boolean {
  if (!value) return true;
  const { type: _, ...rest } = value;
  return Object.values(rest).every(
    (held) => held == null || held === '' || (Array.isArray(held) && !held.length),
  );
}

function valueProblem(element: AnyElement, text: string): string | undefined {
  switch (element.type) {
    case 'plain_text_input':
      return lengthProblem(text, element.min_length, element.max_length);
    case 'number_input':
      return numberProblem(text, element);
    case 'email_text_input':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? undefined : 'Please enter a valid email address.';
    case 'url_text_input':
      return URL.canParse(text) ? undefined : 'Please enter a valid URL.';
    default:
      return undefined;
  }
}

function lengthProblem(text: string, min = 0, max = Number.POSITIVE_INFINITY): string | undefined {
  if (text.length < min) return `Please enter at least ${min} characters.`;
  return text.length > max ? `Please use ${max} characters or fewer.` : undefined;
}

interface NumberLimits {
  is_decimal_allowed?: boolean;
  min_value?: string;
  max_value?: string;
}

function numberProblem(text: string, limits: NumberLimits): string | undefined {
  const shape = limits.is_decimal_allowed ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  if (!shape.test(text)) return `Please enter a ${limits.is_decimal_allowed ? '' : 'whole '}number.`;
  if (limits.min_value && Number(text) < Number(limits.min_value)) {
    return `Please enter ${limits.min_value} or more.`;
  }
  if (limits.max_value && Number(text) > Number(limits.max_value)) {
    return `Please enter ${limits.max_value} or less.`;
  }
  return undefined;
}
