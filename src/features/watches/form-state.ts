import { createHash } from 'node:crypto';
import { type Money, ZERO } from '../../domain/money/amount.ts';
import {
  MAX_RUNWAY_DAYS,
  MAX_THRESHOLD_DIGITS,
  parseFactor,
  parseRunwayDays,
  parseThreshold,
  type ThresholdProblem,
  thresholdDigits,
  type WatchKind,
  type WatchRule,
} from '../../domain/money/watch-rule.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type FormFields, selectedValues } from '../../slack/kit/modal.ts';
import { MAX_WATCH_PEOPLE, type Watch } from '../../workspace/owned/watches.ts';
import { type ChosenProject, parseProjectValue } from '../../workspace/projects/chosen-project.ts';
import { isChannel, isPerson } from '../../workspace/record/record-schema.ts';
import { THRESHOLDS, type ThresholdFields, WATCH_KINDS, type WatchWords } from './words.ts';

/** A watch as the form has it: fields may be empty or wrong, and nothing is checked against the record. */
export interface WatchDraft extends ThresholdFields {
  /** The ID of the edited watch; '' for a new one. */
  readonly before: string;
  /** The edited watch as it was when the form was opened; '' for a new watch. */
  readonly seen: string;
  readonly project: ChosenProject | undefined;
  readonly kind: WatchKind;
  readonly to: 'channel' | 'people';
  /** Slack's ID; '' for none. */
  readonly channel: SlackId;
  /** Slack's IDs. */
  readonly people: readonly SlackId[];
  /** Let Tally join the channel. */
  readonly joins: boolean;
  /** The thresholds have their alternative action IDs. */
  readonly isRefilled: boolean;
}

const DEFAULT_FACTOR = '2';

/** What a new form begins with. @param asked where and by whom */
export function newWatchDraft(
  words: WatchWords,
  project: ChosenProject | undefined,
  asked: { readonly channel: SlackId | undefined; readonly person: SlackId },
): WatchDraft {
  const channel = isChannel(asked.channel ?? '') ? (asked.channel ?? '') : '';
  return {
    before: '',
    seen: '',
    ...{ project, channel, kind: words.kind ?? 'balance' },
    ...{ factor: DEFAULT_FACTOR, ...pickThresholds(words) },
    to: channel === '' ? 'people' : 'channel',
    people: [asked.person],
    joins: true,
    isRefilled: false,
  };
}

/** Differs if what the form edits was changed; a pause or a snooze does not count. */
export const watchVersion = ({ project, rule, target }: Watch): string =>
  createHash('sha256')
    .update(JSON.stringify([project, rule, target]))
    .digest('base64url')
    .slice(0, 12);

export const draftOfWatch = (watch: Watch, person: SlackId): WatchDraft => ({
  before: watch.id,
  seen: watchVersion(watch),
  project: watch.project,
  ...fieldsOfRule(watch.rule),
  ...('channel' in watch.target
    ? { to: 'channel', channel: watch.target.channel, people: [person] }
    : { to: 'people', channel: '', people: watch.target.people }),
  joins: true,
  isRefilled: false,
});

/** What the form's fields hold for a rule. */
export function fieldsOfRule(rule: WatchRule): ThresholdFields & { readonly kind: WatchKind } {
  const { kind } = rule;
  switch (kind) {
    case 'balance':
      return { kind, below: thresholdDigits(rule.below) };
    case 'runway':
      return { kind, days: String(rule.days) };
    case 'budget':
      return { kind, amount: thresholdDigits(rule.amount) };
    case 'spike':
      return { kind, factor: thresholdDigits(rule.factor), floor: thresholdDigits(rule.floor) };
  }
}

const pickThresholds = (fields: ThresholdFields): ThresholdFields =>
  Object.fromEntries(
    THRESHOLDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );

/** `factor 3 floor 1000`: what a button fills in. */
export const encodeThresholds = (rule: WatchRule): string =>
  Object.entries(pickThresholds(fieldsOfRule(rule)))
    .flat()
    .join(' ');

/** The thresholds in a button's value, which is outside text. */
export function decodeThresholds(value: string): ThresholdFields {
  const words = value.split(' ');
  return Object.fromEntries(
    THRESHOLDS.flatMap((name) => {
      const at = words.indexOf(name);
      return at < 0 ? [] : [[name, words[at + 1] ?? '']];
    }),
  );
}

/** Whether any threshold of the kind was typed. */
export const hasThreshold = ({ kind, ...draft }: WatchDraft): boolean =>
  ({ balance: draft.below, runway: draft.days, budget: draft.amount, spike: draft.floor })[kind] !==
  undefined;

/** The form's values. */
export function parseWatchForm(fields: FormFields, metadata: string): WatchDraft {
  const { project = '', to, channel = '', people } = fields;
  return {
    ...decodeWatchMetadata(metadata),
    project: parseProjectValue(project),
    kind: WATCH_KINDS.find((kind) => kind === fields.kind) ?? 'balance',
    ...pickThresholds(fields),
    to: to === 'people' ? 'people' : 'channel',
    channel: isChannel(channel) ? channel : '',
    people: selectedValues(people).filter(isPerson),
    joins: fields.join === undefined || fields.join === 'yes',
  };
}

/** The rule that the thresholds make, or what is wrong with each of them: block ID → sentence. */
export type DraftRule = { readonly rule: WatchRule } | { readonly errors: Readonly<Record<string, string>> };

/** @param label the currency label of the project */
export function ruleOfDraft({ kind, ...fields }: WatchDraft, label: string): DraftRule {
  switch (kind) {
    case 'balance': {
      const below = readAmount(fields.below, label);
      return 'error' in below ? { errors: { below: below.error } } : { rule: { kind, below: below.value } };
    }
    case 'runway': {
      const days = parseRunwayDays(fields.days ?? '');
      return days === undefined ? { errors: { days: DAYS } } : { rule: { kind, days } };
    }
    case 'budget': {
      const amount = readAmount(fields.amount, label, ABOVE_ZERO);
      return 'error' in amount
        ? { errors: { amount: amount.error } }
        : { rule: { kind, amount: amount.value } };
    }
    case 'spike': {
      const factor = parseFactor(fields.factor ?? '');
      const floor = readAmount(fields.floor || '0', label);
      if (factor !== undefined && !('error' in floor)) return { rule: { kind, factor, floor: floor.value } };
      const wrong = {
        ...(factor ? {} : { factor: FACTOR }),
        ...('error' in floor && { floor: floor.error }),
      };
      return { errors: wrong };
    }
  }
}

const DAYS = `Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days.`;
const FACTOR = 'Type a factor above 1, such as 2 or 1.5.';
const ABOVE_ZERO = 'Type an amount above zero.';
const PROBLEMS: Readonly<Record<Exclude<ThresholdProblem['problem'], 'ambiguous'>, string>> = {
  'no-amount': 'Type an amount, such as 50000, 50,000 or 50000.50.',
  'below-zero': 'That’s below zero. Type an amount of zero or more.',
  'too-long': `That has more than ${MAX_THRESHOLD_DIGITS} digits. Type a shorter amount.`,
};

/** @param isZeroWrong the sentence for zero when it makes no sense */
function readAmount(
  typed = '',
  label: string,
  isZeroWrong?: string,
): { readonly value: Money } | { readonly error: string } {
  const amount = parseThreshold(typed, label);
  if ('value' in amount)
    return isZeroWrong !== undefined && amount.value.lte(ZERO) ? { error: isZeroWrong } : amount;
  return {
    error:
      amount.problem === 'ambiguous'
        ? `That can mean two amounts. Type ${amount.readings?.join(' or ')}.`
        : PROBLEMS[amount.problem],
  };
}

/** Block ID → error, for errors that need no look-up. */
export function validateWatchForm(fields: FormFields, metadata: string): Record<string, string> {
  const draft = parseWatchForm(fields, metadata);
  // A label beside an amount is checked against the record when the watch is saved.
  const rule = ruleOfDraft(draft, decodeWatchMetadata(metadata).label);
  const chosen = selectedValues(fields.people).length;
  const isPeopleWrong = chosen < 1 || chosen > MAX_WATCH_PEOPLE || draft.people.length < chosen;
  return {
    ...(draft.project === undefined && { project: 'Choose a project. Type a name or an ID.' }),
    ...('errors' in rule && rule.errors),
    ...(draft.to === 'channel' &&
      draft.channel === '' && { channel: 'Choose a channel, not a direct message.' }),
    ...(draft.to === 'people' && isPeopleWrong && { people: `Choose 1 to ${MAX_WATCH_PEOPLE} people.` }),
  };
}

export const targetOfDraft = ({ to, channel, people }: WatchDraft): Watch['target'] =>
  to === 'channel' ? { channel } : { people: [...people] };

type Metadata = Pick<WatchDraft, 'before' | 'seen' | 'isRefilled'> & {
  /** Where it was opened, or the edited watch posts; '' for neither. */
  readonly place: string;
  /** The currency label of the project when the form was drawn. */
  readonly label: string;
};

/** The form's metadata. */
export const encodeWatchMetadata = (metadata: Metadata): string =>
  [
    metadata.before,
    metadata.seen,
    metadata.place,
    metadata.isRefilled ? 'refilled' : '',
    metadata.label,
  ].join(' ');

export function decodeWatchMetadata(metadata: string): Metadata {
  const [before = '', seen = '', place = '', refilled = '', label = ''] = metadata.split(' ');
  return { before, seen, place, isRefilled: refilled !== '', label };
}
