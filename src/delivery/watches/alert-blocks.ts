import { commandText } from '../../domain/command-names.ts';
import { wordFailure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { addDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  type Chart,
  channelLink,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  header,
  type Message,
  markup,
  mention,
  option,
  overflow,
  section,
} from '../../slack/kit/blocks.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import { type AlertWords, alertText, correctionText, recoveryText } from './alert-wording.ts';
import {
  type Alert,
  type AlertEvent,
  type AlertMessage,
  episodeOf,
  type FiguresEvent,
} from './sent-alerts.ts';

/** What a message shows of an alert. */
export interface AlertView {
  readonly watch: Watch;
  readonly alert: Alert;
  readonly message: AlertMessage;
  readonly chart: Chart | undefined;
  /** `Cloud platform · project 123 · UTC · 6 of the last 7 days reported`, plain */
  readonly source: string;
  readonly words: AlertWords;
}

const isCrossing = (event: AlertEvent) => event.kind === 'crossed';

/** The alert with its current state. */
export function alertMessage(view: AlertView): Message {
  const { alert, watch, chart, source, message, words } = view;
  const crossings = alert.events.filter(isCrossing);
  const last = crossings.at(-1);
  const { recovered, newest } = recoveryOf(alert);
  const { title, why } = headlineOf(newest ?? last, words);
  const history = alert.events.flatMap((event, at) => {
    if (event === recovered || event === newest) return historyText(event, () => SETTLED[event.kind]);
    const isAbove = event === last && newest === undefined;
    if (isAbove || isSuperseded(alert.events, at)) return [];
    return historyText(event, (figure) => figureText(figure, words));
  });
  return {
    text: notificationText(title, why),
    blocks: compact([
      header(title),
      why !== '' && section(why),
      isOpen(alert) && section(NEXT_STEP[watch.rule.kind]),
      message.insteadOf && markup(insteadText(message.insteadOf)),
      history.length > 0 && markup(history.slice(-MAX_HISTORY).join('\n')),
      chart,
      context([escapeMarkup(source), `set up by ${mention(watch.owner)}`].join(' · ')),
      alertActions(view),
    ]),
  };
}

const NEXT_STEP: Readonly<Record<Watch['rule']['kind'], string>> = {
  balance: 'Top up the project, or see what changed and cut it.',
  runway: 'Top up the project, or see what changed and cut it.',
  budget: 'See which days cost most, or change the budget.',
  spike: 'Find out what ran that day: Tally sees the amount, not the cause.',
};

const isFigure = (event: AlertEvent) => event.kind === 'recovered' || event.kind === 'corrected';

/** The line in the history, without the figure that the header has. */
const SETTLED = { recovered: 'Recovered', corrected: 'Corrected' } as const;

function headlineOf(event: FiguresEvent | undefined, words: AlertWords): ReturnType<typeof alertText> {
  if (event?.kind === 'crossed') return alertText(event, words);
  return { title: event === undefined ? '' : figureText(event, words).replace(/\.$/, ''), why: '' };
}

/** `prod recovered: 51,000.00 EUR left.` */
function figureText(event: FiguresEvent, words: AlertWords): string {
  switch (event.kind) {
    case 'crossed':
      return alertText(event, words).title;
    case 'recovered':
      return recoveryText(event, words);
    case 'corrected':
      return correctionText(event, words);
  }
}

/** That it recovered since it was last crossed, and the newest figure since the crossing, which is what is true now. */
function recoveryOf({ events }: Alert) {
  const since = events.slice(events.findLastIndex(isCrossing)).filter(isFigure);
  const recovered = since.findLast(({ kind }) => kind === 'recovered');
  return { recovered, newest: since.at(-1) };
}

export const hasRecovered = (alert: Alert): boolean => recoveryOf(alert).recovered !== undefined;

/** Whether it has neither recovered nor got another threshold since it was last crossed. */
const isOpen = ({ events }: Alert): boolean =>
  !events
    .slice(events.findLastIndex(isCrossing))
    .some(({ kind }) => kind === 'recovered' || kind === 'replaced');

const notificationText = (title: string, why: string): string => (why === '' ? title : `${title}. ${why}`);

/** Whether a later figure has replaced this one, which would read as if it were current. */
const isSuperseded = (events: Alert['events'], at: Millis): boolean =>
  events.slice(at, at + 1).some(isFigure) &&
  events.slice(at + 1).some((event) => isCrossing(event) || isFigure(event));

const MAX_HISTORY = 12;

function historyText(event: AlertEvent, wordFigures: (event: FiguresEvent) => string): string {
  const at = formatInstant(event.at);
  switch (event.kind) {
    case 'crossed':
      return `${at} · Alert: ${escapeMarkup(wordFigures(event))}`;
    case 'corrected':
      return `${at} · ${escapeMarkup(wordFigures(event))}`;
    case 'recovered':
      return `:white_check_mark: ${at} · ${escapeMarkup(wordFigures(event))}`;
    case 'acknowledged':
      return `:eyes: ${at} · Acknowledged by ${mention(event.by)}`;
    case 'snoozed':
      return `:zzz: ${at} · Snoozed by ${mention(event.by)} until: ${formatInstant(event.until)}`;
    case 'replaced':
      return `${at} · The threshold was changed. This alert is about the earlier one.`;
  }
}

function insteadText({ to, cause }: NonNullable<AlertMessage['insteadOf']>): string {
  const where = isPerson(to) ? mention(to) : channelLink(to);
  return `This was meant for ${where}. ${escapeMarkup(wordFailure(cause))} Choose another channel or person with *Manage*.`;
}

/** The days behind an alert, as words of `/spend`. */
function periodOf({ rule }: Watch, episode: string): string {
  if (rule.kind === 'budget') return episode;
  return rule.kind === 'spike' ? `${addDays(episode, -6)}..${episode}` : 'last-7-days';
}

/** Nothing is left to acknowledge once it has recovered or its watch has another threshold. */
function alertActions({ alert, watch }: AlertView): Block {
  const { events, episode } = alert;
  const isAcknowledged = events.some(({ kind }) => kind === 'acknowledged');
  const about = `${watch.id} ${episode}`;
  const {
    projects: [project],
    rule,
  } = watch;
  const day = episodeOf(alert);
  const spent = (...words: string[]) =>
    [commandText('/spend'), project.id, PRODUCTS[project.product].word, ...words].join(' ');
  return actions(
    isOpen(alert) &&
      !isAcknowledged &&
      button('watch-acknowledge', 'Acknowledge', { value: about, style: 'primary' }),
    button('run:days', 'See the days', { value: spent(periodOf(watch, day)) }),
    // A budget is not about what changed since the month before.
    rule.kind !== 'budget' &&
      button('run:why', 'What changed', {
        value: spent(rule.kind === 'spike' ? day : periodOf(watch, day), 'why'),
      }),
    overflow('watch-more', [
      ...(isOpen(alert)
        ? [
            option('Snooze for 1 day', `day ${about}`),
            option('Snooze for 7 days', `week ${about}`),
            option('Snooze until next month', `month ${about}`),
          ]
        : []),
      option(rule.kind === 'budget' ? 'Change budget…' : 'Change threshold…', `threshold ${watch.id}`),
      option('Manage', `manage ${watch.id}`),
    ]),
  );
}

/** A reply in the alert's thread: a higher threshold was crossed, or it has recovered. */
export function alertReply({ alert, message, words }: AlertView): Message {
  const event = alert.events[message.event];
  if (event?.kind === 'recovered') {
    const text = recoveryText(event, words);
    return { text, blocks: [section(`✓ ${text}`)] };
  }
  const { title, why } = headlineOf(event?.kind === 'crossed' ? event : undefined, words);
  return {
    text: notificationText(title, why),
    blocks: compact([markup(`*${escapeMarkup(title)}*`), why !== '' && section(why)]),
  };
}

/** `Cloud platform · project 123 · UTC` */
export const sourceText = ({ projects: [project] }: Watch, zone: Zone): string =>
  [PRODUCTS[project.product].name, `project ${project.id}`, zone].join(' · ');
