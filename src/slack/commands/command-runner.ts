import { commandText } from '../../domain/commands.ts';
import {
  InvalidWord,
  isShortText,
  SecretPasted,
  TextTooLong,
  UNKNOWN_COMMAND,
} from '../../domain/failure/index.ts';
import { inSpan } from '../../runtime/spans.ts';
import { holdsRegisteredSecret } from '../../workspace/record/workspace.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { ErrorContext } from '../error-messages/description.ts';
import type { ErrorReport } from '../reply/error-reply.ts';
import {
  endLoading,
  LOADING_DELAYS,
  type ReplyTarget,
  startLoadingMessage,
  startLoadingView,
} from '../reply/reply-target.ts';
import { type AuthorizedUser, createRequest, type RequestOptions } from '../request/request.ts';
import {
  type CommandHandler,
  canRead,
  handlerOf,
  type ListenerContext,
  lookUp,
  workOf,
} from '../server/listeners.ts';
import { type CommandInvocation, withoutSecrets } from './command-buttons.ts';

/**
 * Runs a command that was typed, mentioned or clicked. Never rejects: errors become replies.
 * @param options the audience applies only to commands with `open`; the default is in the settings
 * @param workspace the record, if the caller has already read it
 */
export type RunCommand = (
  target: ReplyTarget,
  invocation: CommandInvocation,
  options: Omit<RequestOptions, 'invocation'>,
  workspace?: Workspace,
) => Promise<void>;

export function createCommandRunner({
  listeners: { commands },
  authorize,
  errorReply,
  onAnswered,
  loadingDelays = LOADING_DELAYS,
}: ListenerContext): RunCommand {
  const run: RunCommand = async (target, invocation, options, workspace) => {
    const { command, text } = invocation;
    const listener = lookUp(commands, command);
    const metricName = listener === undefined ? 'other' : command;
    let authorized: AuthorizedUser | undefined;
    const began = performance.now();
    const handler = listener && (isShortText(text) ? handlerOf<CommandHandler>(listener, text) : TOO_LONG);
    const isForm = target.source.triggerId !== undefined && handler?.openForm !== undefined;
    try {
      if (isForm) startLoadingView(target, loadingDelays.modal);
      if (handler === undefined)
        throw new InvalidWord(
          command,
          UNKNOWN_COMMAND,
          `Type ${commandText('/billing help')} to see what works.`,
        );
      authorized = await authorize(target.client, target.source, handler.right, { workspace });
      if (authorized === undefined) return;
      if (handler !== TOO_LONG && holdsRegisteredSecret(text, authorized.workspace)) throw new SecretPasted();
      const { visibility } = authorized.workspace.settings;
      const audience = handler.isQuestion ? (options.audience ?? visibility) : 'asker';
      const request = createRequest(authorized, target, { ...options, audience, invocation });
      if (handler.isQuestion && !isForm) {
        const delay = Math.max(0, loadingDelays.message - (performance.now() - began));
        target.loadingMessage = startLoadingMessage(target, {
          audience,
          replace: options.replace === true,
          delay,
        });
      }
      await workOf(handler)(text, request);
      onAnswered?.(metricName, 'ok');
    } catch (error) {
      const report = errorReply.explain(error, command);
      onAnswered?.(metricName, report.failure?.kind ?? 'unknown');
      const context = errorContext(report, invocation, target, authorized);
      const { workspace: record } = authorized ?? {};
      await errorReply.send(target, report, {
        ...context,
        canRead: record && ((text) => canRead(listener, text, record)),
        isUnchanged: handler?.isQuestion,
        opensForm: isForm,
      });
    } finally {
      await endLoading(target);
    }
  };
  return (...given) => inSpan('command', () => run(...given));
}

/** No listener reads such a text. It is refused after the rights, like any other words. */
const TOO_LONG: CommandHandler = {
  right: 'ask',
  run: () => Promise.reject(new TextTooLong()),
};

/**
 * A button must not carry a secret, and without one of its words a command asks something else: then it is not offered
 * again. The reply to a pasted secret still needs to know the command, to say which form takes the secret.
 */
function errorContext(
  report: ErrorReport,
  invocation: CommandInvocation,
  { source }: ReplyTarget,
  authorized: AuthorizedUser | undefined,
): ErrorContext {
  const safe = withoutSecrets(invocation, authorized?.workspace.aliases ?? NO_ALIASES);
  const isSecret = report.failure?.kind === 'secret-pasted';
  return {
    invocation: isSecret || safe.text === invocation.text ? safe : undefined,
    requester: authorized && { ...authorized, channel: source.channel },
  };
}

const NO_ALIASES: ReadonlySet<string> = new Set();
