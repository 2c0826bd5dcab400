/** Workflow Builder as an app's steps see it: starts a step with an event, and takes its outputs or its error. */
import type { Loose } from './blocks.ts';
import { sendEvent } from './conversation.ts';
import { type Core, failed, type Outcome } from './core.ts';
import type { StepParameter, WorkflowStep } from './manifest.ts';
import { APP } from './people.ts';
import { randomId, type Workspace } from './workspace.ts';

interface Execution {
  id: string;
  outputs?: Record<string, unknown>;
  error?: string;
  definition: WorkflowStep;
  workspace: Workspace;
  token: string;
}

type Result = Pick<Execution, 'outputs' | 'error'>;

/** `id` is absent if the step couldn't be started. */
type Started = Outcome & { id?: string };

const isOver = ({ outputs, error }: Result): boolean => outputs !== undefined || error !== undefined;

export class Steps {
  #runs: Execution[] = [];

  /** Resolves after the first attempt to deliver the event. */
  async run(core: Core, workspace: Workspace, step: string, inputs: Loose): Promise<Started> {
    const definition = core.manifest.steps.find(({ id }) => id === step);
    if (!definition || !workspace.isInstalled) return failed('step_not_found');
    const id = `Fx${randomId(10)}`;
    const token = `xwfp-sandbox-${randomId(24)}`;
    const execution: Execution = { id, definition, workspace, token };
    this.#runs.unshift(execution);
    workspace.changed();
    const ack = await sendEvent(core, workspace, {
      type: 'function_executed',
      function: { id: `Fn${APP}`, callback_id: step, type: 'app', app_id: APP },
      inputs,
      function_execution_id: id,
      workflow_execution_id: `Wx${randomId(10)}`,
      bot_access_token: token,
    });
    if (ack.how !== 'acked' && !isOver(execution)) execution.error = 'event_dispatch_failed';
    workspace.changed();
    return { ok: true, id };
  }

  workspaceOf(token: string): Workspace | undefined {
    return this.#runs.find((run) => run.token === token && !isOver(run))?.workspace;
  }

  /** @returns Slack's error code, or undefined if the result is accepted */
  complete(id: string, result: Result): string | undefined {
    const run = this.#runs.find((known) => known.id === id);
    if (!run) return 'function_execution_not_found';
    if (isOver(run)) return 'execution_not_in_running_state';
    if (result.outputs && !fits(result.outputs, run.definition.outputs)) return 'parameter_validation_failed';
    Object.assign(run, result);
    run.workspace.changed();
    return undefined;
  }

  find(workspace: Workspace, id: string): Result | undefined {
    return this.#runs.find((run) => run.workspace === workspace && run.id === id);
  }
}

const fits = (outputs: Record<string, unknown>, parameters: readonly StepParameter[]): boolean =>
  Object.keys(outputs).every((name) => parameters.some((parameter) => parameter.name === name)) &&
  parameters.every(({ name, type, required }) => {
    const value = outputs[name];
    if (value === undefined) return !required;
    return type === 'integer' ? Number.isInteger(value) : typeof value === 'string';
  });
