import { checkLength, WordRefused } from '../domain/failure.ts';
import type { WorkspaceRecord } from '../workspace/workspaces.ts';
import { type Admit, settingsOf } from './admission.ts';
import type { Apology } from './apology.ts';
import type { CommandListener } from './listeners.ts';
import { own } from './own.ts';
import type { Scene } from './project-picker.ts';
import type { Rerun } from './rerun.ts';
import { type Admission, createVisit, type VisitOptions } from './visit.ts';
import type { Ways } from './ways.ts';

/** Runs a command, whether it was typed, said or clicked. Never rejects: what goes wrong is said. */
export type RunCommand = (
  ways: Ways,
  rerun: Rerun,
  options: VisitOptions,
  record?: WorkspaceRecord,
) => Promise<void>;

export interface CommandsParts {
  readonly commands: Readonly<Record<string, CommandListener>>;
  readonly admit: Admit;
  readonly apology: Apology;
  /** Told of each one's end: `ok`, a failure's kind, or `unknown`; `other` for what is no command of ours. */
  readonly onAnswered?: ((command: string, outcome: string) => void) | undefined;
}

export function createRunCommand({ commands, admit, apology, onAnswered }: CommandsParts): RunCommand {
  return async (ways, rerun, options, record) => {
    let admission: Admission | undefined;
    const name = Object.hasOwn(commands, rerun.command) ? rerun.command : 'other';
    try {
      const listener = own(commands, rerun.command);
      if (listener === undefined)
        throw new WordRefused(rerun.command, 'is no command of Tally', 'Try /billing help.');
      const { right } = listener;
      const rightOf = () => {
        checkLength(rerun.text);
        return typeof right === 'function' ? right(rerun.text) : right;
      };
      admission = await admit(ways.client, ways.origin, rightOf, { record });
      if (admission === undefined) return;
      const { visibility } = settingsOf(admission.record);
      const isOpen = listener.open === true && !options.replace;
      const audience = isOpen ? (options.audience ?? options.aloud ?? visibility) : 'asker';
      await listener.run(rerun.text, createVisit(ways, admission, { ...options, audience, rerun }));
      onAnswered?.(name, 'ok');
    } catch (error) {
      const told = apology.explain(error, rerun.command);
      onAnswered?.(name, 'failure' in told ? told.failure.kind : 'unknown');
      await apology.say(ways, told, { rerun, scene: admission && sceneOf(ways, admission) });
    }
  };
}

/** A workspace may have had to rename a command; the last part of `/acme-spend` still is ours. */
export const commandNamed = (typed: string, commands: CommandsParts['commands']): string =>
  Object.keys(commands).find((name) => typed.endsWith(name.slice(1))) ?? typed;

const sceneOf = ({ origin }: Ways, { asker, record }: Admission): Scene => ({
  record,
  channel: origin.channel,
  manager: asker.manage,
});
