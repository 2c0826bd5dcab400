/** The form of a watch, with a preview of when it would have alerted. */
import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { needsBalance } from '../../delivery/watches/watch-figures.ts';
import { previewWatch, type WatchPreview } from '../../delivery/watches/watch-service.ts';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import { type Money, toPlainDigits, ZERO } from '../../domain/money/amount.ts';
import { formatBalance, formatBonuses, formatRunway } from '../../domain/money/balance-and-runway.ts';
import {
  BUDGET_STEPS,
  MAX_RUNWAY_DAYS,
  parseFactor,
  parseRunwayDays,
  readAmounts,
  type WatchKind,
  type WatchRule,
} from '../../domain/money/watch-rule.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type AutomationKind, targetMarkup } from '../../slack/automations/automation.ts';
import {
  createAutomationForm,
  deliveryOf,
  projectsField,
  targetFields,
  unchangedFields,
} from '../../slack/automations/automation-form.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  joinTexts,
  markup,
  section,
} from '../../slack/block-kit/blocks.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import {
  choice,
  choices,
  type Field,
  FieldRefusal,
  type FormMoment,
  noteField,
  readField,
  redrawing,
  refuseField,
  shownWhen,
  text,
} from '../../slack/forms/fields.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { FormValues } from '../../slack/request/payload.ts';
import {
  type ChosenProject,
  isSameProject,
  type ProjectMoneyFormatter,
  projectMoneyFormatter,
} from '../../workspace/projects/chosen-project.ts';
import { type ResolvedProject, resolveProject } from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { measurementText } from './describe-watch.ts';
import { MAX_TYPED, WATCH_KINDS, type WatchWords } from './parse-watch-command.ts';

type FormServices = Pick<DeliveryService, 'watching'>;

export const createWatchForm = (kind: AutomationKind<Watch>, services: FormServices) =>
  createAutomationForm<Watch, WatchWords>({
    kind,
    title: 'Set up a watch',
    fields: watchFields(kind, services),
    start(words, request) {
      const project = typedOrDefaultProject(words, request);
      const { project: _, alias: __, product: ___, ...rule } = words;
      const values = { ...DEFAULTS, ...withoutUndefined(rule) };
      return { projects: project === undefined ? [] : [project], values };
    },
    valuesOf: ({ rule }) => ({ ...DEFAULTS, ...valuesOfRule(rule) }),
    build: async (at, before) => watchOf(at, before),
  });

const USUAL_RULE = { kind: 'runway', days: 14 } as const;
const DEFAULTS: FormValues = { kind: USUAL_RULE.kind, days: String(USUAL_RULE.days), factor: '2' };
const NO_PROJECT: ChosenProject = { id: '', product: 1 };

const KIND_LABELS: Readonly<Record<WatchKind, string>> = {
  balance: 'The balance is below an amount',
  runway: 'The runway is under a number of days',
  budget: 'Spend reaches the monthly budget',
  spike: 'A day costs much more than usual',
};

const threshold = (
  label: string,
  placeholder: string,
  hint: string,
  parse: (typed: string) => Money | number | string | FieldRefusal,
  optional = false,
): Field<unknown> => redrawing(text<unknown>(label, { placeholder, hint, parse, optional, max: MAX_TYPED }));

const THRESHOLDS: Readonly<Record<WatchKind, Readonly<Record<string, Field<unknown>>>>> = {
  balance: {
    below: threshold(
      'Below',
      '50,000',
      'Bonuses don’t count. Enter 0 to get an alert when the project is overdrawn.',
      parseAmount,
    ),
  },
  runway: {
    days: threshold(
      'Fewer than',
      '14',
      'In days. Counts balance and bonuses, at the last 7 days’ average spend.',
      (typed) =>
        parseRunwayDays(typed) ?? refuseField(`Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days.`),
    ),
  },
  budget: {
    amount: threshold(
      'Budget for each month',
      '500,000',
      `Alerts at ${BUDGET_STEPS.slice(0, -1).join(', ')} and ${BUDGET_STEPS.at(-1)} % of the budget, and when the forecast exceeds it.`,
      (typed) => {
        const amount = parseAmount(typed);
        const isWrong = !(amount instanceof FieldRefusal) && amount.lte(ZERO);
        return isWrong ? refuseField('Type an amount above zero.') : amount;
      },
    ),
  },
  spike: {
    factor: threshold(
      'Times the usual amount',
      '2',
      'The usual amount is the median of the same weekday in the last four weeks.',
      (typed) => parseFactor(typed) ?? refuseField('Type a factor above 1, such as 2 or 1.5.'),
    ),
    floor: threshold(
      'Only days that cost at least',
      '1,000',
      'Leave empty for no minimum.',
      (typed) => parseAmount(typed || '0'),
      true,
    ),
  },
};

const THRESHOLD_FIELDS = Object.fromEntries(
  Object.entries(THRESHOLDS).flatMap(([kind, fields]) =>
    Object.entries(fields).map(([name, field]) => [name, shownWhen((values) => values.kind === kind, field)]),
  ),
);

const watchFields = (kind: AutomationKind<Watch>, services: FormServices) => ({
  projects: projectsField(kind.maxProjects),
  kind: redrawing(choice('Alert when', { options: choices(KIND_LABELS) })),
  ...THRESHOLD_FIELDS,
  preview: noteField<Preview | undefined>(
    (at) => {
      const rule = ruleOf(at.values);
      const [first = ''] = Object.keys(THRESHOLDS[kindIn(at.values)]);
      const isTyped = Boolean(at.values[first]);
      const problem = rule instanceof FieldRefusal && isTyped ? [section(rule.sentence)] : [];
      if (at.isAsking)
        return [...problem, section('Asking the billing service when this would have alerted…')];
      const [project = NO_PROJECT] = deliveryOf(at.values).projects;
      const { workspace, locale } = at.request;
      return [...problem, ...previewBlocks(at.found, projectMoneyFormatter(project, workspace, locale))];
    },
    {
      isSlow: true,
      isNeeded: ({ data, values }) =>
        (data.target as ChannelCheck | null | undefined)?.problem === undefined &&
        deliveryOf(values).projects.length > 0,
      run: (at) => previewDraft(services, at),
    },
  ),
  ...targetFields(kind),
});

function watchOf(at: FormMoment, before: Watch | undefined): Watch | FieldRefusal {
  const { values, request } = at;
  const rule = ruleOf(values);
  if (rule instanceof FieldRefusal) return rule;
  // The channel can be valid although this user may not ask about the project there.
  if (askedProject(at) === undefined) return refuseField('You can’t ask about this project here.');
  const { projects, ...target } = deliveryOf(values);
  const [project = NO_PROJECT] = projects;
  const isAlike = (other: Watch) =>
    isSameProject(other.projects[0], project) && JSON.stringify(other.rule) === JSON.stringify(rule);
  const isSame = before !== undefined && isAlike(before);
  const isTwin = (other: Watch) =>
    other.id !== at.id && isAlike(other) && targetMarkup(other) === targetMarkup(target);
  if (request.workspace.watches.some(isTwin))
    return refuseField('This watch already exists, with the same threshold and the same channel or people.');
  return {
    ...unchangedFields(before, at),
    projects: [project],
    rule,
    ...target,
    since: isSame ? before.since : request.at,
    ...(isSame && before.snoozedUntil !== undefined && { snoozedUntil: before.snoozedUntil }),
  };
}

/** @returns undefined if no project is chosen, or if this user may not ask about it where the alerts go */
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

async function previewDraft({ watching }: FormServices, at: FormMoment): Promise<Preview | undefined> {
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

const valuesOfRule = (rule: WatchRule): FormValues =>
  Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [
      name,
      typeof value === 'object' ? toPlainDigits(value) : String(value),
    ]),
  );

function parseAmount(typed: string): Money | FieldRefusal {
  const [amount, other] = readAmounts(typed);
  if (amount === undefined)
    return refuseField('Type an amount of zero or more, such as 50000, 50,000 or 50000.50.');
  if (other === undefined) return amount.value;
  return refuseField(`That can mean two amounts. Type ${amount.digits} or ${other.digits}.`);
}

const kindIn = ({ kind: chosen }: FormValues): WatchKind =>
  WATCH_KINDS.find((kind) => kind === chosen) ?? USUAL_RULE.kind;

function ruleOf(values: FormValues): WatchRule | FieldRefusal {
  const kind = kindIn(values);
  const read = Object.entries(THRESHOLDS[kind]).map(
    ([name, field]) => [name, readField(field, values[name] ?? '', values)] as const,
  );
  const [, refused] = read.find(([, value]) => value instanceof FieldRefusal) ?? [];
  return refused instanceof FieldRefusal
    ? refused
    : ({ kind, ...Object.fromEntries(read) } as unknown as WatchRule);
}

interface Preview {
  readonly rule: WatchRule;
  /** False if a threshold is missing or invalid; the preview then shows only what the project has left. */
  readonly isWhole: boolean;
  readonly result: WatchPreview | Failure;
}

const PREVIEW_DAYS = 90;
const MAX_DATES = 8;

function previewLines({ rule, isWhole, result }: Preview, money: ProjectMoneyFormatter): string[] {
  if (isFailure(result)) return [result.message];
  const { dates, isCrossed, isKnown, reported, funds, measurement } = result;
  if (reported === 0 && !isKnown)
    return [
      `No data in the last ${PREVIEW_DAYS} days, so there’s no preview. Check the project and its product.`,
    ];
  if (!isWhole) return [fundsText(funds, money)];
  return compact([
    !needsBalance(rule) && measurementText(rule, measurement, money),
    fundsText(funds, money),
    // A threshold that was crossed the whole time has no date on which it was crossed.
    (!isCrossed || dates.length > 0) && countText(dates),
    isCrossed && 'It would alert now.',
  ]);
}

function fundsText(funds: WatchPreview['funds'], money: ProjectMoneyFormatter): string {
  if (funds === undefined) return '';
  const lasts = funds.runway && formatRunway(funds.runway, money);
  return joinTexts(' · ', [
    formatBalance(funds.balance, money),
    formatBonuses(funds.bonuses, money),
    lasts && lasts.charAt(0).toLowerCase() + lasts.slice(1),
  ]);
}

function countText(dates: readonly Day[]): string {
  if (dates.length === 0) return `It wouldn’t have alerted in the last ${PREVIEW_DAYS} days.`;
  const times = dates.length === 1 ? 'once' : `${dates.length} times`;
  const newest = dates.length > MAX_DATES ? ', most recently' : '';
  // Without the weekday: `19 Nov`.
  const days = dates.slice(-MAX_DATES).map((day) => formatDays(day, day, day.slice(0, 4)).slice(4));
  return `It would have alerted ${times} in the last ${PREVIEW_DAYS} days${newest}: ${days.join(', ')}.`;
}

function previewBlocks(previewed: Preview | undefined, money: ProjectMoneyFormatter): Block[] {
  const refresh = button('watch-form:preview', previewed === undefined ? 'Preview' : 'Preview again');
  if (previewed === undefined) return [actions(refresh)];
  const [first = '', ...more] = previewLines(previewed, money).filter(Boolean);
  const isEstimated = needsBalance(previewed.rule) && previewed.isWhole && !isFailure(previewed.result);
  return compact([
    first !== '' && markup([`*${escapeMarkup(first)}*`, ...more.map(escapeMarkup)].join('\n')),
    isEstimated &&
      context('Earlier balances are estimates: today’s plus what was spent since, ignoring top-ups.'),
    actions(refresh),
  ]);
}
