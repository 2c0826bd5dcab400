import {
  catchInvalidWord,
  InvalidWord,
  NotAllowed,
  requireShortText,
  SecretPasted,
  UNRECOGNIZED,
} from '../../domain/failure/index.ts';
import { parseBalanceText, parseCommandText } from '../../domain/language/parse-command.ts';
import { type ParsedCommand, projectList } from '../../domain/language/parsed-command.ts';
import { LAST_7_DAYS } from '../../domain/language/periods/period-ast.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type Period, resolvePeriod } from '../../domain/time/resolve-period.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import type { StepInputs, StepListener } from '../../slack/server/listeners.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { isShownTo, type ProjectScope } from '../../workspace/projects/project-visibility.ts';
import { type ResolvedProject, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { isChannel } from '../../workspace/record/parse-record.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { type StepFigures, type StepName, WORKFLOW_FUNCTIONS } from './functions.ts';

interface StepQuestion {
  readonly workspace: Workspace;
  readonly target: ResolvedProject;
  /** The named period, else the last 7 days; a balance ignores it. */
  readonly period: Period;
  /** When the step was run: the instant of its figures. */
  readonly at: Millis;
  /** BCP 47, the workspace's: a workflow's result is for everybody. */
  readonly locale: string;
}

type FiguresOfSteps = {
  readonly [Name in StepName]?: (question: StepQuestion) => Promise<StepFigures<Name>>;
};

declare module '../feature.ts' {
  interface Feature {
    /** Of steps of Workflow Builder; features that have the figures fill them in. */
    readonly stepFigures?: FiguresOfSteps;
  }
}

/** Steps of Slack's Workflow Builder: “Get spend” and “Get balance”, in the words of the commands. */
export function createWorkflowStepsFeature(
  { all, openSteps }: Services,
  /** Ends, from now on, the runs that another process acknowledged and did not end. @returns what stops it */
  endLeftSteps: () => () => void,
): Feature {
  let stop = (): void => undefined;
  const step = (name: StepName): StepListener => ({
    async run(inputs, { workspace, at, link }) {
      const words = parseStepInputs(name, inputs, workspace);
      const target = findProject(words, scopeOf(inputs.channel), workspace);
      const { zone, locale } = requireSettings(workspace);
      const period = resolvePeriod(words.phrase ?? LAST_7_DAYS, at, zone);
      const answer = await all.stepFigures()[name]?.({ workspace, target, period, at, locale });
      return { ...answer, project: target.label, product: PRODUCTS[target.product].name, link };
    },
  });
  const names = Object.keys(WORKFLOW_FUNCTIONS) as StepName[];
  return {
    help: [],
    steps: Object.fromEntries(names.map((name) => [name, step(name)])),
    start() {
      stop = endLeftSteps();
    },
    stop: async () => stop(),
    forget: openSteps.forget,
  };
}

/**
 * The inputs as the words of the command. Whatever is typed in one of them means what it means there.
 * @throws InvalidWord, TextTooLong, SecretPasted
 */
function parseStepInputs(name: StepName, inputs: StepInputs, workspace: Workspace): ParsedCommand {
  const { project, period, product } = inputs;
  const typed = [project, ...(name === 'get_spend' ? [period] : []), product];
  const text = typed
    .map((value) => textOf(value))
    .join(' ')
    .trim();
  requireShortText(text);
  if (holdsRegisteredSecret(text, workspace)) throw new SecretPasted();
  const parse = name === 'get_spend' ? parseCommandText : parseBalanceText;
  const words: ParsedCommand | InvalidWord = catchInvalidWord(() => parse(text, workspace.aliases));
  if (words instanceof InvalidWord) throw inStep(words, inputs);
  if (words.help) throw new InvalidWord('help', 'isn’t a project', 'Enter a project’s name or ID.');
  if (words.several !== undefined) throw new InvalidWord(projectList(words.several), ...ONE_PROJECT);
  if (words.versus !== undefined)
    throw new InvalidWord(
      'vs',
      'compares two periods',
      'A step gives one figure: add a step for each period.',
    );
  return words;
}

/** What each input takes, for the error about a word that it doesn't recognize. */
const TAKES = {
  project: 'Project takes a project’s name or ID.',
  period: 'Period takes words such as yesterday, last-week, this-month or 2026-10.',
  product: 'Product takes cloud, storage or virtualization.',
} as const;
const INPUT_NAMES = ['project', 'period', 'product'] as const;

/** The hint of a command doesn't fit a step, whose words are in its fields. */
function inStep(refused: InvalidWord, inputs: StepInputs): InvalidWord {
  const { word, why } = refused;
  if (why !== UNRECOGNIZED) return refused;
  const name = INPUT_NAMES.find((input) => textOf(inputs[input]).toLowerCase().includes(word.toLowerCase()));
  const takes = name === undefined ? Object.values(TAKES).join(' ') : TAKES[name];
  return new InvalidWord(word, why, `Edit the step: ${takes}`);
}

const ONE_PROJECT = [
  'means several projects',
  'A step gives the figures of one: add a step for each project.',
] as const;

/** Slack sends what the workflow has in its variables. @throws InvalidWord for anything but text */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidWord(
    typeof value,
    'isn’t text',
    'Use a text variable, or type the project, period or product.',
  );
}

/**
 * The place whose rights apply. Slack doesn't say who runs a workflow, and its result may go anywhere: so a manager's rights
 * don't count, and a project that is limited to channels needs one of them.
 */
function scopeOf(channel: unknown): ProjectScope {
  const id = textOf(channel).trim();
  if (id !== '' && !isChannel(id) && !isDirectMessage(id))
    throw new InvalidWord(id, 'isn’t a channel', 'Choose a channel in the step.');
  return { channel: id === '' ? undefined : id, isUnlimited: false };
}

/** @throws what `resolveProject` throws */
function findProject(words: ParsedCommand, scope: ProjectScope, workspace: Workspace): ResolvedProject {
  const target = resolveProject(words, workspace, scope);
  const { project: id, product } = target;
  if (!isShownTo({ id, product }, workspace, scope)) throw new NotAllowed('channel');
  return target;
}
