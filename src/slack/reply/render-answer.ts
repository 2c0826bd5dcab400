import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  Overflow,
  PlainTextOption,
  StaticSelect,
} from '@slack/types';
import { type BillingRemark, remarkLead } from '../../domain/billing-remarks.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Command } from '../commands/command.ts';
import {
  nameButton,
  outputOptions,
  scheduleOption,
  shareButton,
  watchOption,
} from '../commands/command-buttons.ts';
import {
  type AskedProjects,
  fetchEach,
  type ProjectAnswer,
  type ProjectAnswers,
} from '../commands/project-answers.ts';
import { failedNotes, type ProjectColumn, productNames, projectRows } from '../commands/project-table.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  fitsOption,
  formatInstant,
  instant,
  type Message,
  markup,
  mention,
  overflow,
  quote,
  SLACK_LIMITS,
  section,
  select,
  titleBlocks,
} from '../kit/blocks.ts';
import { table } from '../kit/tables.ts';
import type { Request } from '../request/request.ts';

/** What was asked, and the parts that every answer has. */
export interface AnswerDetails extends Pick<Request, 'at' | 'locale' | 'sharedBy'> {
  readonly user: Pick<Request['user'], 'canManage'>;
  readonly projects: AskedProjects;
  readonly fetched: Millis;
}

/** Everything that an answer says besides the words of its command. */
export interface AnswerView<T extends ProjectAnswer> extends AnswerDetails, ProjectAnswers<T> {}

/** Asks about the projects of a request. @throws as {@link fetchEach} */
export async function fetchProjects<T extends ProjectAnswer>(
  projects: AskedProjects,
  { at, locale, sharedBy, user }: Request,
  clock: () => Millis,
  ask: (target: ResolvedProject) => Promise<T>,
): Promise<AnswerView<T>> {
  const answers = await fetchEach(projects, ask);
  return { projects, ...answers, fetched: clock(), at, locale, sharedBy, user };
}

/** The parts of an answer, in the order in which they are read. */
export interface AnswerContent {
  readonly title: string;
  readonly text: string;
  /** Mrkdwn under the title, outside text escaped; lines without text are left out. */
  readonly lines: readonly string[];
  readonly body: readonly Block[];
  readonly remarks: readonly BillingRemark[];
  /** The small print, plain: first what belongs on one line, then a sentence a line; empty ones are left out. */
  readonly facts: readonly string[];
  readonly notes: readonly string[];
  readonly buttons: ActionsBlock;
}

/** The main number first, then its meaning and the chart; notes and buttons come last. */
export function renderAnswer(details: AnswerDetails, content: AnswerContent): Message {
  const { title, text, body, remarks, buttons } = content;
  const lines = content.lines.filter(Boolean).join('\n');
  return {
    text,
    blocks: compact([
      ...titleBlocks(title),
      lines !== '' && markup(lines),
      ...body,
      ...remarks.flatMap((remark) => [section(remarkLead(remark)), ...remark.messages.map(quote)]),
      context(smallPrint(details, content)),
      buttons.elements.length > 0 && buttons,
    ]),
  };
}

function smallPrint({ fetched, sharedBy }: AnswerDetails, { facts, notes }: AnswerContent): string {
  const line = compact([
    ...facts.filter(Boolean).map(escapeMarkup),
    `fetched${sharedBy?.how === 'shared' ? `: ${formatInstant(fetched)}` : ` ${instant(fetched)}`}`,
    sharedBy && `${sharedBy.how} by ${mention(sharedBy.person)}`,
  ]);
  return [line.join(' · '), ...notes.filter(Boolean).map(escapeMarkup)].join('\n');
}

/** The product that was asked about, and the project's ID if the title has its name. */
export const sourceOf = ({ target: { project, product, alias } }: ProjectAnswer): string[] =>
  compact([PRODUCTS[product].name, alias !== undefined && `project ${project}`]);

/** What an answer about a list says; the rest is the same for every command. */
interface ListContent<T> extends Pick<AnswerContent, 'title' | 'text' | 'lines' | 'facts' | 'buttons'> {
  readonly sorted: readonly T[];
  readonly columns: readonly ProjectColumn<T>[];
  /** A figure that is shown beside the projects' names. */
  readonly beside?: ProjectColumn<T> | undefined;
  readonly others?: readonly string[][];
  readonly notes?: readonly string[];
}

/** A row a project, what the service remarked about the first ones, and why the others gave no figures. */
export function renderListAnswer<T extends ProjectAnswer>(
  view: AnswerView<ProjectAnswer>,
  { sorted, columns, beside, others = [], facts, notes = [], ...content }: ListContent<T>,
): Message {
  const { answered, failed } = view;
  const names = productNames(answered);
  return renderAnswer(view, {
    ...content,
    body: [table(projectRows(sorted, columns, failed, { nameOf: names.nameOf, others, beside }))],
    remarks: answered.flatMap(({ remarks }) => remarks).slice(0, MOST_REMARKS),
    facts: [...facts, ...names.facts],
    notes: [...notes, ...failedNotes(failed)],
  });
}
const MOST_REMARKS = 5;

interface AnswerActions {
  readonly link: Command;
  /** The command for the figures as a file, where that is another one. */
  readonly figures?: Command;
  readonly before: readonly ActionsBlockElement[];
  readonly after?: readonly Button[];
  /** The first options of the ⋯ menu, before files and forms. */
  readonly more: readonly PlainTextOption[];
  /** The report to schedule, and the kind of watch. */
  readonly report?: string | undefined;
  readonly watch?: string;
}

/** Other answers, **Share** unless everybody sees the answer already, a name for an ID, and the ⋯ menu. */
export function answerActions<T extends ProjectAnswer>(
  { projects, answered: [first], at, sharedBy, user }: AnswerView<T>,
  { link, figures = link, before, after = [], more, report, watch }: AnswerActions,
): ActionsBlock {
  const { isList } = projects;
  return actions(
    ...before,
    ...(sharedBy === undefined ? shareButton(link, at) : []),
    ...after,
    ...(isList || !user.canManage || first === undefined || first.target.alias !== undefined
      ? []
      : nameButton(first.target)),
    ...moreMenu(
      compact([
        ...more,
        ...outputOptions(figures),
        // A post is about certain projects.
        projects.top === undefined && scheduleOption(projects, report),
        !isList && watchOption(projects, watch),
      ]),
    ),
  );
}

const PERIOD_BUTTONS = 4;

/** A button's value can be longer than an option's, so a long list of projects has buttons. */
const asButtons = (options: readonly PlainTextOption[], id: string): Button[] =>
  options.flatMap(({ text, value = '' }, at) =>
    value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}-${at}`, text.text, { value })],
  );

/** The ⋯ menu of an answer, whose choices each run a command. It has room for five: the others are buttons. */
function moreMenu(options: readonly PlainTextOption[]): (Overflow | Button)[] {
  if (!options.every(fitsOption)) return asButtons(options, 'more');
  const [shown, others] = [options.slice(0, MENU_OPTIONS), options.slice(MENU_OPTIONS)];
  return [...asButtons(others, 'more'), overflow('rerun:more', shown)];
}
const MENU_OPTIONS = SLACK_LIMITS.overflowOptions;

/** The select of periods, with the current one chosen. */
export function periodMenu(
  options: readonly PlainTextOption[],
  current: PlainTextOption | undefined,
): (StaticSelect | Button)[] {
  if (options.every(fitsOption)) return [select('rerun:period', 'Period', options, current)];
  const others = options.filter((listed) => listed !== current).slice(0, PERIOD_BUTTONS);
  return asButtons(others, 'period');
}
