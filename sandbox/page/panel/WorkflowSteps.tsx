import { useState } from 'react';
import type { StepParameter, StepRun, WorkflowStep } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';

/** Runs one of the app's steps, in the place of Workflow Builder. */
export function WorkflowSteps() {
  const { snapshot, me, report } = useWorkspace();
  const { steps, stepRuns, bot } = snapshot;
  const [chosen, setChosen] = useState(steps[0]?.id);
  const [values, setValues] = useState<Record<string, string>>({ project: '123' });
  const [ran, setRan] = useState<string>();
  const step = steps.find(({ id }) => id === chosen);
  if (!step) return <p className="panel-note">{bot.name} has no steps for Workflow Builder.</p>;
  const run = async () => {
    const filled = step.inputs.filter(({ name }) => values[name]);
    const inputs = Object.fromEntries(filled.map(({ name }) => [name, values[name]]));
    const answer = await post('step', { as: me.id, step: step.id, inputs });
    if (answer.ok) setRan(String(answer.id));
    else report(sentenceOf(answer, 'The step did not run.'));
  };
  const latest = stepRuns.find(({ id }) => id === ran);
  return (
    <form
      className="steps"
      aria-label="Workflow step"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>Workflow step</h2>
      <p className="panel-note">What Workflow Builder does when a workflow reaches this step.</p>
      <div className="step-field">
        <label htmlFor="step">Step</label>
        <select
          id="step"
          value={step.id}
          onChange={({ target }) => {
            setChosen(target.value);
            setRan(undefined);
          }}
        >
          {steps.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <small>{step.description}</small>
      </div>
      {step.inputs.map((input) => (
        <Field
          key={input.name}
          input={input}
          value={values[input.name] ?? ''}
          onChange={(value) => setValues({ ...values, [input.name]: value })}
        />
      ))}
      <button type="submit" className="button primary">
        Run step
      </button>
      {latest && <Result step={step} run={latest} />}
    </form>
  );
}

interface FieldProps {
  input: StepParameter;
  value: string;
  onChange(value: string): void;
}

function Field({ input: { name, type, title, description }, value, onChange }: FieldProps) {
  const { channels } = useWorkspace().snapshot;
  const id = `step-${name}`;
  return (
    <div className="step-field">
      <label htmlFor={id}>{title}</label>
      {type === 'slack#/types/channel_id' ? (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">None</option>
          {channels
            .filter(({ kind }) => kind !== 'im')
            .map(({ id, name }) => (
              <option key={id} value={id}>
                #{name}
              </option>
            ))}
        </select>
      ) : (
        <input id={id} type="text" value={value} onChange={({ target }) => onChange(target.value)} />
      )}
      <small>{description}</small>
    </div>
  );
}

function Result({ step, run: { outputs, error } }: { step: WorkflowStep; run: StepRun }) {
  return (
    <section className="step-result" aria-label="Result" aria-live="polite">
      {error !== undefined && (
        <p className="step-error">
          <b>The step failed</b>
          {error}
        </p>
      )}
      {outputs === undefined && error === undefined && <p className="panel-note">Running…</p>}
      {outputs && (
        <dl>
          {step.outputs.map(({ name, title }) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>
                {outputs[name] === undefined ? <i>empty</i> : String(outputs[name])}
                <code>{name}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
