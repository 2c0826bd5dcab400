import { InvalidWord, requireShortText, SecretPasted, UNKNOWN_COMMAND } from '../domain/failure/index.ts';
import { holdsRegisteredSecret } from '../workspace/registered-secrets.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { Admit } from './admission.ts';
import { type CommandInvocation, withoutSecrets } from './command-buttons.ts';
import type { ErrorReply } from './error-reply.ts';
import type { CommandListener } from './listeners.ts';
import { ownValue } from './own-property.ts';
import type { Scene } from './project-picker.ts';
import { type Admission, createRequest, type RequestOptions } from './request.ts';
import type { Ways } from './ways.ts';

/** Runs a command, whether it was typed, said or clicked. Never rejects: what goes wrong is said. */
export type RunCommand = (
  ways: Ways,
  rerun: CommandInvocation,
  options: RequestOptions,
  record?: Workspace,
) => Promise<void>;

export interface CommandRunnerParts {
  readonly commands: Readonly<Record<string, CommandListener>>;
  readonly admit: Admit;
  readonly apology: ErrorReply;
  /** Told of each one's end: `ok`, a failure's kind, or `unknown`; `other` for what is no command of ours. */
  readonly onAnswered?: ((command: string, outcome: string) => void) | undefined;
}

export function createCommandRunner({
  commands,
  admit,
  apology,
  onAnswered,
}: CommandRunnerParts): RunCommand {
  return async (ways, rerun, options, record) => {
    let admission: Admission | undefined;
    const name = Object.hasOwn(commands, rerun.command) ? rerun.command : 'other';
    try {
      const listener = ownValue(commands, rerun.command);
      if (listener === undefined)
        throw new InvalidWord(rerun.command, UNKNOWN_COMMAND, 'Type /billing help to see what works.');
      const { right } = listener;
      const rightOf = () => {
        requireShortText(rerun.text);
        return typeof right === 'function' ? right(rerun.text) : right;
      };
      admission = await admit(ways.client, ways.origin, rightOf, { workspace: record });
      if (admission === undefined) return;
      if (holdsRegisteredSecret(rerun.text, admission.workspace)) throw new SecretPasted();
      const { visibility } = admission.workspace.settings;
      const audience = listener.open ? (options.audience ?? options.aloud ?? visibility) : 'asker';
      await listener.run(rerun.text, createRequest(ways, admission, { ...options, audience, rerun }));
      onAnswered?.(name, 'ok');
    } catch (error) {
      const told = apology.explain(error, rerun.command);
      onAnswered?.(name, 'failure' in told ? told.failure.kind : 'unknown');
      // The same again or not at all: without one of its words it is another question. What holds a secret is not offered
      // again, and which command it was says where the secret belongs.
      const shown = withoutSecrets(rerun, admission?.workspace.aliases ?? NO_ALIASES);
      const isSecret = 'failure' in told && told.failure.kind === 'secret-pasted';
      const failed = { rerun: shown, scene: admission && sceneOf(ways, admission) };
      await apology.say(ways, told, isSecret || shown.text === rerun.text ? failed : undefined);
    }
  };
}

const NO_ALIASES: ReadonlySet<string> = new Set();

/** A workspace may have had to rename a command; the last part of `/acme-spend` still is ours. */
export const matchCommandName = (typed: string, commands: CommandRunnerParts['commands']): string =>
  Object.keys(commands).find((name) => typed.endsWith(name.slice(1))) ?? typed;

const sceneOf = ({ origin }: Ways, { user, workspace }: Admission): Scene => ({
  workspace,
  channel: origin.channel,
  manager: user.canManage,
});
