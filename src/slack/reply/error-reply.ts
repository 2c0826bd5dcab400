/** Tells people about an error: in a message, in a modal, or below a form field. */
import { randomBytes } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Annotate, errorOutcome } from '../../ops/work-record.ts';
import {
  type Block,
  buttonRow,
  compact,
  escapeMarkup,
  header,
  joinTexts,
  type Message,
  markup,
  mention,
  modal,
  quote,
  section,
  textMessage,
  withoutActions,
} from '../block-kit/blocks.ts';
import { type FailedRequest, isAuthorized, retryButton } from '../error-messages/advice.ts';
import { describeError } from '../error-messages/advice-by-failure.ts';
import { knownChannels } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import type { HandlerRules } from '../server/handlers.ts';
import type { Reply } from './reply.ts';

export interface ErrorReport {
  readonly failure: Failure | undefined;
  readonly id: string;
}

export interface ErrorReply {
  explain(error: unknown, annotate: Annotate): ErrorReport;
  /** Sends the error as a private message, or in the modal that the request has opened. Never rejects. */
  send(reply: Reply, report: ErrorReport, failed: FailedRequest, rules: Partial<HandlerRules>): Promise<void>;
  logUndelivered(workspace: SlackId): (error: unknown) => void;
}

export function createErrorReply(log: Logger): ErrorReply {
  const logUndelivered: ErrorReply['logUndelivered'] = (workspace) => (err) =>
    log.error({ err, workspace }, 'Could not deliver a reply');
  return {
    logUndelivered,
    explain(error, annotate) {
      const id = randomBytes(4).toString('hex');
      annotate({ ...errorOutcome(error), reference: id });
      return { failure: isFailure(error) ? error : undefined, id };
    },
    async send(reply, report, failed, rules) {
      const { source, modal } = reply;
      const { limited } = isFailure(report.failure, 'not-allowed') ? report.failure.data : {};
      const isLimited = limited !== undefined && isAuthorized(failed) && !failed.user.canManage;
      const channels = isLimited ? await knownChannels(limited.channels, failed) : [];
      const request = { ...failed, channels, place: source.askedIn ?? source.channel };
      const isUnchanged = !isAuthorized(request) || !rules.changes;
      const message = errorMessageOf(report, request, isUnchanged);
      const isInModal = source.via === 'form' || (await modal.isShown());
      // In a modal, a button can run only a command that opens a modal.
      const shown = rules.opensForm ? request : { ...request, command: undefined };
      const sent = isInModal
        ? modal.update(errorModalOf(report, shown, isUnchanged), message)
        : reply.private(message);
      await sent.catch(logUndelivered(source.teamId));
    },
  };
}

export const errorMessageOf = (
  { failure, id }: ErrorReport,
  request: FailedRequest,
  isUnchanged: boolean,
): Message =>
  failure === undefined
    ? textMessage(unknownErrorText(id, isUnchanged), ...buttonRow(retryButton(request.command)))
    : failureMessage(failure, request, id);

/** After an unforeseen error, a modal has no **Try again** button. */
export function errorModalOf(report: ErrorReport, request: FailedRequest, isUnchanged: boolean): ModalView {
  const { blocks } = errorMessageOf(report, request, isUnchanged);
  const shown = report.failure === undefined ? withoutActions(blocks) : blocks;
  // Slack doesn't send the channel with a click in a modal, so the modal's metadata contains the channel.
  const metadata = request.place !== undefined && { metadata: request.place };
  return modal({ title: 'That didn’t work', ...metadata, blocks: shown });
}

/** Workflow Builder shows this text to people, without markup. */
export function stepErrorText({ failure, id }: ErrorReport): string {
  if (failure === undefined) return unknownErrorText(id, true);
  const { sentence, todo, isOurs } = describeError(failure, {});
  const withoutLead = todo.replace(/(?:^|(?<=[.?!] ))[^.?!]+:$/, '').trim();
  return escapeMarkup(joinTexts(' ', [sentence, withoutLead, isOurs && referenceText(id)]));
}

export function failureMessage(failure: Failure, request: FailedRequest, reference?: string): Message {
  const { sentence, todo, people, quotes, buttons, choices, isOurs, lead } = describeError(failure, request);
  const help = isOurs && reference !== undefined && referenceText(reference);
  const text = joinTexts('\n', [sentence, joinTexts(' ', [todo, help])]);
  const named = `${escapeMarkup(text.replace(/\.$/, ''))}: ${people.map(mention).join(', ')}, or an admin.`;
  return {
    text: sentence,
    blocks: [
      people.length === 0 && lead === undefined ? section(text) : markup(lead ?? named),
      ...quotes.map(quote),
      ...buttonRow(buttons),
      ...choices,
    ],
  };
}

export const failureFacts = (failure: Failure, request: Request): Block[] =>
  withoutActions(failureMessage(failure, request).blocks);

export const failureText = (failure: Failure): string =>
  joinTexts(' ', [failure.message, describeError(failure, {}).todo]);

export function notSavedMessage(failure: Failure, reason: Message, done: string, kept: string): Message {
  const isUnsure = failure.kind === 'store-unavailable';
  return {
    text: reason.text,
    blocks: compact([
      header(isUnsure ? `May not have been ${done}` : `Not ${done}`),
      ...withoutActions(reason.blocks),
      !isUnsure && failure.kind !== 'edit-conflict' && section(kept),
    ]),
  };
}

function unknownErrorText(id: string, isUnchanged: boolean): string {
  const changed = isUnchanged ? 'Nothing was changed.' : 'Check whether your change was saved.';
  return `Something went wrong in Tally. ${changed}\n${referenceText(id)}`;
}

const referenceText = (id: string): string => `If it keeps happening, send your admin this reference: ${id}.`;
