/** Workflow Builder, as far as an app's steps see it: runs one by an event, and takes its outputs or its error. */
import type { StepParameter, StepRun, WorkflowStep } from '../protocol.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import { APP } from './people.ts';
import { randomId, type Workspace } from './workspace.ts';

interface Execution extends StepRun {
  definition: WorkflowStep;
  /** Valid until the step is over. */
  token: string;
}

/** Older ones are forgotten. */
const MOST_RUNS = 50;

export class Steps {
  #runs: Execution[] = [];

  constructor(
    readonly workspace: Workspace,
    readonly manifest: Manifest,
    readonly events: Events,
  ) {}

  /** Resolves after the first attempt to deliver the event. */
  async run(step: string, inputs: Record<string, unknown>) {
    const definition = this.manifest.steps.find(({ id }) => id === step);
    if (!definition || !this.workspace.isInstalled) return { ok: false, error: 'step_not_found' };
    const id = `Fx${randomId(10)}`;
    const execution: Execution = { id, step, definition, token: `xwfp-sandbox-${randomId(24)}` };
    this.#runs = [execution, ...this.#runs].slice(0, MOST_RUNS);
    this.workspace.changed();
    const ack = await this.events.send({
      type: 'function_executed',
      function: functionOf(definition),
      inputs,
      function_execution_id: id,
      workflow_execution_id: `Wx${randomId(10)}`,
      bot_access_token: execution.token,
    });
    if (ack.how !== 'acked' && !isOver(execution)) this.#end(execution, { error: 'event_dispatch_failed' });
    return { ok: true, id };
  }

  isToken(token: string): boolean {
    return this.#runs.some((run) => run.token === token && !isOver(run));
  }

  /** @returns Slack's error code, or undefined when the step ended so */
  complete(id: string, result: Pick<StepRun, 'outputs' | 'error'>): string | undefined {
    const run = this.#runs.find((known) => known.id === id);
    if (!run) return 'function_execution_not_found';
    if (isOver(run)) return 'execution_not_in_running_state';
    if (result.outputs && !fits(result.outputs, run.definition.outputs)) return 'parameter_validation_failed';
    this.#end(run, result);
    return undefined;
  }

  runs(): StepRun[] {
    return this.#runs.map(({ definition: _definition, token: _token, ...run }) => run);
  }

  #end(run: Execution, result: Pick<StepRun, 'outputs' | 'error'>): void {
    Object.assign(run, result);
    this.workspace.changed();
  }
}

const isOver = ({ outputs, error }: StepRun): boolean => outputs !== undefined || error !== undefined;

const fits = (outputs: Record<string, unknown>, parameters: readonly StepParameter[]): boolean =>
  Object.keys(outputs).every((name) => parameters.some((parameter) => parameter.name === name)) &&
  parameters.every(({ name, type, required }) => {
    const value = outputs[name];
    if (value === undefined) return !required;
    return type === 'integer' ? Number.isInteger(value) : typeof value === 'string';
  });

const functionOf = ({ id, title, description, inputs, outputs }: WorkflowStep) => ({
  ...{ id: `Fn${APP}`, callback_id: id, title, description, type: 'app', app_id: APP },
  input_parameters: inputs.map(parameterOf),
  output_parameters: outputs.map(parameterOf),
  ...{ date_created: 1_700_000_000, date_updated: 1_700_000_000, date_deleted: 0 },
});

const parameterOf = ({ required, ...parameter }: StepParameter) => ({ ...parameter, is_required: required });
