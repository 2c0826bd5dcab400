import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { previewWatch } from '../../delivery/watches/watch-service.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { type Money, ZERO } from '../../domain/money/amount.ts';
import {
  BUDGET_STEPS,
  MAX_RUNWAY_DAYS,
  MAX_THRESHOLD_DIGITS,
  parseFactor,
  parseRunwayDays,
  parseThreshold,
  type ThresholdProblem,
  thresholdDigits,
  type WatchKind,
  type WatchRule,
} from '../../domain/money/watch-measurement.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { AutomationKind } from '../../slack/automations/automation.ts';
import {
  createAutomationForm,
  deliveryOf,
  keptFields,
  newValues,
  projectsField,
  targetFields,
} from '../../slack/automations/automation-form.ts';
import { section } from '../../slack/block-kit/blocks.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import {
  choice,
  choices,
  FieldRefusal,
  type FormMoment,
  live,
  note,
  refuseField,
  text,
  when,
} from '../../slack/forms/fields.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { FormFields } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import { type ChosenProject, isSameProject, moneyWriter } from '../../workspace/projects/chosen-project.ts';
import { type ResolvedProject, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { MAX_WATCH_PEOPLE, type Watch } from '../../workspace/record/automation-records.ts';
import { MAX_TYPED, WATCH_KINDS, type WatchWords } from './parse-watch-command.ts';
import { PREVIEWING, type PreviewOutcome, watchPreviewBlocks } from './wording.ts';

type FormServices = Pick<DeliveryService, 'watching'>;

/** The form, with its preview. */
export function createWatchForm(kind: AutomationKind<Watch>, services: FormServices) {
  const { listeners, openNew, openFor } = createAutomationForm<Watch, ReturnType<typeof watchFields>>({
    kind,
    title: 'Set up a watch',
    fields: watchFields(kind, services),
    valuesOf: ({ rule }) => ({ ...DEFAULTS, ...fieldsOfRule(rule) }),
    content: contentOf,
    build: async (at, before) => buildWatch(at, before),
  });
  return {
    listeners,
    openFor,
    openNew: (words: WatchWords, request: Request) =>
      openNew(request, () => {
        const project = typedOrDefaultProject(words, request);
        const { project: _, alias: __, product: ___, ...typed } = words;
        const common = newValues(project === undefined ? [] : [project], MAX_WATCH_PEOPLE, request);
        return { ...common, ...DEFAULTS, ...withoutUndefined(typed) };
      }),
  };
}

/** Two weeks are time enough to have money added. */
const USUAL_RULE = { kind: 'runway', days: 14 } as const;
const DEFAULTS: FormFields = { kind: USUAL_RULE.kind, days: String(USUAL_RULE.days), factor: '2' };
const NO_PROJECT: ChosenProject = { id: '', product: 1 };

const KIND_LABELS: Readonly<Record<WatchKind, string>> = {
  balance: 'The balance is below an amount',
  runway: 'The money lasts fewer than some days',
  budget: 'The month reaches its budget',
  spike: 'A day costs much more than usual',
};

const watchFields = (kind: AutomationKind<Watch>, services: FormServices) => ({
  projects: projectsField(1),
  kind: live(choice('Alert when', { options: choices(KIND_LABELS) })),
  below: threshold('balance', 'below', 'Below', '50,000', {
    hint: 'Without bonuses. Zero alerts when the project is overdrawn.',
  }),
  days: threshold('runway', 'days', 'Fewer than', '14', {
    hint: 'Days. Balance and bonuses, at the average of the last 7 days.',
  }),
  amount: threshold('budget', 'amount', 'Budget for each month', '500,000', {
    hint: `Alerts at ${BUDGET_STEPS.slice(0, -1).join(', ')} and ${BUDGET_STEPS.at(-1)} %, and when the forecast is above it.`,
  }),
  factor: threshold('spike', 'factor', 'Times the usual amount', '2', {
    hint: 'Usual is the median of the last four same weekdays.',
  }),
  floor: threshold('spike', 'floor', 'Only days of at least', '1,000', {
    hint: 'Empty for no minimum.',
    optional: true,
  }),
  preview: note<PreviewOutcome | undefined>(
    (at) => {
      const rule = ruleOf(at.values);
      const problem = rule instanceof FieldRefusal && isTyped(at.values) ? [section(rule.sentence)] : [];
      if (at.isAsking) return [...problem, section(PREVIEWING)];
      const [project = NO_PROJECT] = deliveryOf(at.values).projects;
      const { workspace, locale } = at.request;
      return [...problem, ...watchPreviewBlocks(at.found, moneyWriter(project, workspace, locale))];
    },
    {
      isSlow: true,
      isNeeded: (at) => checkOf(at)?.problem === undefined && deliveryOf(at.values).projects.length > 0,
      run: (at) => previewDraft(services, at),
    },
  ),
  ...targetFields(kind, MAX_WATCH_PEOPLE),
});

/** A field of one kind of watch. */
const threshold = <Name extends keyof typeof THRESHOLDS>(
  kind: WatchKind,
  name: Name,
  label: string,
  placeholder: string,
  form: { readonly hint: string; readonly optional?: boolean },
) =>
  when(
    (values) => values.kind === kind,
    live(
      text(label, {
        ...form,
        placeholder,
        max: MAX_TYPED,
        parse: (typed): unknown => THRESHOLDS[name](typed),
      }),
    ),
  );

const isTyped = (values: FormFields): boolean => Boolean(values[PARTS[kindIn(values)][0]]);

const checkOf = ({ data }: FormMoment) => data.target as ChannelCheck | null | undefined;

/** What the fields say of the watch; undefined while they are incomplete. */
function contentOf(values: FormFields) {
  const { projects, ...target } = deliveryOf(values);
  const [project = NO_PROJECT] = projects;
  const rule = ruleOf(values);
  return rule instanceof FieldRefusal ? undefined : { projects: [project] as const, rule, ...target };
}

function buildWatch(at: FormMoment, before: Watch | undefined): Watch | FieldRefusal {
  const { values, request } = at;
  const content = contentOf(values);
  if (content === undefined) return ruleOf(values) as FieldRefusal;
  // The target may be right, such as a manager, although this user may not ask about the project.
  if (askedProject(at) === undefined) return refuseField('You can’t ask about this project here.');
  const isSame =
    before !== undefined &&
    isSameProject(before.projects[0], content.projects[0]) &&
    JSON.stringify(before.rule) === JSON.stringify(content.rule);
  return {
    ...keptFields(before, at),
    ...content,
    since: isSame ? before.since : request.at,
    ...(isSame && before.snoozedUntil !== undefined && { snoozedUntil: before.snoozedUntil }),
  };
}

/** The project that was chosen; undefined if this user may not ask about it where the alerts go. @throws Failure */
function askedProject({ values, request }: FormMoment): ResolvedProject | undefined {
  const { projects, channel = '' } = deliveryOf(values);
  const [chosen] = projects;
  if (chosen === undefined) return undefined;
  const place = channel === '' ? {} : { channel };
  try {
    return resolveProject({ project: chosen.id, product: chosen.product }, request.workspace, {
      ...request,
      ...place,
    });
  } catch (error) {
    if (isFailure(error, 'not-allowed')) return undefined;
    throw error;
  }
}

/**
 * Asks billing and simulates the watch, once the target is checked: a user who may choose the channel may ask there.
 * @returns undefined if the user may not ask, and while no project is chosen
 */
async function previewDraft({ watching }: FormServices, at: FormMoment): Promise<PreviewOutcome | undefined> {
  const typed = ruleOf(at.values);
  const isWhole = !(typed instanceof FieldRefusal);
  const rule = isWhole ? typed : USUAL_RULE;
  try {
    const project = askedProject(at);
    if (project === undefined) return undefined;
    const figures = await watching.fetchPreview(at.request.workspace, project, rule);
    return { rule, isWhole, result: previewWatch(rule, figures) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { rule, isWhole, result: error };
  }
}

/** The fields of each kind, named as in its rule. */
const PARTS = {
  balance: ['below'],
  runway: ['days'],
  budget: ['amount'],
  spike: ['factor', 'floor'],
} as const satisfies Readonly<Record<WatchKind, readonly (keyof typeof THRESHOLDS)[]>>;

/** What the form's fields hold for a rule. */
const fieldsOfRule = (rule: WatchRule): FormFields =>
  Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [
      name,
      typeof value === 'object' ? thresholdDigits(value) : String(value),
    ]),
  );

const PROBLEMS: Readonly<Record<Exclude<ThresholdProblem['problem'], 'ambiguous'>, string>> = {
  'no-amount': 'Type an amount, such as 50000, 50,000 or 50000.50.',
  'below-zero': 'That’s below zero. Type an amount of zero or more.',
  'too-long': `That has more than ${MAX_THRESHOLD_DIGITS} digits. Type a shorter amount.`,
};

/** What each threshold means. */
const THRESHOLDS = {
  below: parseAmount,
  days: (typed: string) =>
    parseRunwayDays(typed) ?? refuseField(`Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days.`),
  amount(typed: string): Money | FieldRefusal {
    const amount = parseAmount(typed);
    return amount instanceof FieldRefusal || amount.gt(ZERO)
      ? amount
      : refuseField('Type an amount above zero.');
  },
  factor: (typed: string) => parseFactor(typed) ?? refuseField('Type a factor above 1, such as 2 or 1.5.'),
  floor: (typed: string) => parseAmount(typed || '0'),
};

function parseAmount(typed: string): Money | FieldRefusal {
  const amount = parseThreshold(typed);
  if ('value' in amount) return amount.value;
  return refuseField(
    amount.problem === 'ambiguous'
      ? `That can mean two amounts. Type ${amount.readings?.join(' or ')}.`
      : PROBLEMS[amount.problem],
  );
}

const kindIn = ({ kind: chosen }: FormFields): WatchKind =>
  WATCH_KINDS.find((kind) => kind === chosen) ?? USUAL_RULE.kind;

/** The rule that the fields make, or the first thing that is wrong with them. */
function ruleOf(values: FormFields): WatchRule | FieldRefusal {
  const kind = kindIn(values);
  const parts = PARTS[kind].map((name) => [name, THRESHOLDS[name](values[name] ?? '')] as const);
  const [, refused] = parts.find(([, read]) => read instanceof FieldRefusal) ?? [];
  return refused instanceof FieldRefusal
    ? refused
    : ({ kind, ...Object.fromEntries(parts) } as unknown as WatchRule);
}
