/** The steps “Get spend” and “Get balance” in Workflow Builder. */
import { Failure, InvalidWord, isFailure } from '../../domain/failure/index.ts';
import {
  lastSevenDays,
  parseBalanceText,
  parseCommandText,
} from '../../domain/language/parse-command-text.ts';
import { type ParsedCommand, projectList } from '../../domain/language/parsed-command.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { periodOf } from '../../domain/time/period.ts';
import { requireShortText } from '../../slack/commands/command-buttons.ts';
import { type StepOutputs, WORKFLOW_FUNCTIONS } from '../../slack/install/workflow-functions.ts';
import type { StepHandler, StepInputs } from '../../slack/server/handlers.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { isShownTo, type ProjectScope } from '../../workspace/projects/project-scope.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { parseContextOf, requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';

/** Slack doesn't say who runs a workflow, and the result may go anywhere. */
const EVERYBODY: ProjectScope = { channel: undefined, isUnlimited: false };

export function createWorkflowStepsFeature({ registry }: Services): Feature {
  const step =
    (name: keyof StepOutputs): StepHandler =>
    async (inputs, { workspace, at }) => {
      const { words, target } = withStepAdvice(inputs, () => {
        const words = parseInputs(name, inputs, workspace, at);
        return { words, target: resolveProject(words, workspace, EVERYBODY) };
      });
      const { project: id, product } = target;
      if (!isShownTo({ id, product }, workspace, EVERYBODY))
        throw new Failure('not-allowed', { reason: 'channel' });
      const { zone, locale } = requireSettings(workspace);
      const period = periodOf(words.phrase ?? lastSevenDays(parseContextOf(workspace, at)), at, zone);
      return (await registry.stepFigures()[name]?.({ workspace, target, period, at, locale })) ?? {};
    };
  const names = Object.keys(WORKFLOW_FUNCTIONS) as (keyof StepOutputs)[];
  return { steps: Object.fromEntries(names.map((name) => [name, step(name)])) };
}

/** Rewords errors about what to type, because a step has fields instead of a command. */
function withStepAdvice<T>({ project }: StepInputs, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isFailure(error, 'project-missing')) throw new InvalidWord('', 'Which project?', FILL_IN);
    if (!(error instanceof InvalidWord)) throw error;
    const isOfProject = textOf(project).includes(error.word) || error.works.startsWith('Type a project');
    throw isOfProject ? new InvalidWord(error.word, error.why, FILL_IN) : error;
  }
}

const FILL_IN = 'Fill in Project with one name or ID, and Period with days such as last-week.';

function parseInputs(
  name: keyof StepOutputs,
  inputs: StepInputs,
  workspace: Workspace,
  at: Millis,
): ParsedCommand {
  const { project, period, product } = inputs;
  const isSpend = name === 'get_spend';
  const text = [project, isSpend ? period : '', product].map(textOf).join(' ').trim();
  requireShortText(text);
  if (holdsRegisteredSecret(text, workspace)) throw new Failure('secret-pasted');
  const words: ParsedCommand = (isSpend ? parseCommandText : parseBalanceText)(
    text,
    parseContextOf(workspace, at),
  );
  const refused = words.help
    ? 'help'
    : words.several === undefined
      ? ((words.versus && 'vs') ?? words.output)
      : projectList(words.several);
  if (refused === undefined) return words;
  throw new InvalidWord(
    refused,
    'doesn’t work in a workflow step',
    'Enter one project and one period. Add another step for anything else.',
  );
}

/** @param value any JSON, from a workflow's variable @throws InvalidWord if it isn't text */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidWord(typeof value, 'isn’t text', 'Use a text variable, or type the words.');
}
