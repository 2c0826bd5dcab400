import type { Button } from '@slack/types';
import {
  type CommandFailure,
  type Failure,
  type IdentityFailure,
  type InvalidWord,
  NO_PUBLIC_ADDRESS,
  type PermissionFailure,
  type Service,
  type ServiceFailure,
  type SlackFailure,
  type StoreFailure,
  type TokenFailure,
  UNKNOWN_COMMAND,
  UNRECOGNIZED,
} from '../domain/failure/index.ts';
import { parseCommandText } from '../domain/language/command-text.ts';
import { formatPhrase } from '../domain/language/period-phrase.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../domain/product.ts';
import { visibleProjects } from '../workspace/resolve-project.ts';
import { type CommandInvocation, commandButton } from './command-buttons.ts';
import { actions, type Block, button, option, select } from './kit/atoms.ts';
import { canSuggest, projectPicker, projectSelect } from './project-picker.ts';
import { privateLocation, type Requester } from './request.ts';

/** What the reply to a failure says beside the failure's own sentence, which says what happened. */
export interface ErrorDescription {
  /** Says what happened, in place of the failure's own sentence. */
  readonly sentence?: string;
  /** What to do next; '' where the sentence or the buttons say it all. */
  readonly todo: string;
  /** Outside text, shown as a quotation. */
  readonly quotes?: readonly string[];
  readonly buttons?: readonly Button[];
  /** Blocks to choose from. */
  readonly choices?: readonly Block[];
}

/** What a reply can offer, as far as it is known. */
export interface ErrorContext {
  /** The command that failed, for buttons that run it again. */
  readonly invocation?: CommandInvocation | undefined;
  /** Decides which buttons and projects to offer; undefined before the rights were checked. */
  readonly requester?: Requester | undefined;
  /** The log's ID of this error. */
  readonly reference?: string | undefined;
  /** Whether nothing can have been changed, as by a question. */
  readonly isUnchanged?: boolean | undefined;
}

/** Describes every kind of failure; the compiler refuses a kind without a description. */
export function describeError(failure: Failure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'token-rejected':
    case 'forbidden':
    case 'no-data':
    case 'query-rejected':
    case 'rate-limited':
    case 'timed-out':
    case 'service-unreachable':
    case 'service-failed':
    case 'service-paused':
    case 'queue-full':
    case 'invalid-response':
    case 'response-too-large':
    case 'redirect-refused':
    case 'address-refused':
      return describeServiceFailure(failure, context);
    case 'access-refused':
    case 'access-not-found':
    case 'project-disabled':
    case 'wrong-identity-url':
    case 'outcome-unclear':
      return describeIdentityFailure(failure, context);
    case 'invalid-word':
    case 'text-too-long':
    case 'secret-pasted':
    case 'period-just-began':
    case 'project-missing':
    case 'not-connected':
    case 'connection-missing':
      return describeCommandFailure(failure, context);
    case 'not-allowed':
    case 'not-issuer':
      return describePermissionFailure(failure);
    case 'access-missing':
    case 'too-many-tokens':
    case 'token-too-long':
    case 'token-not-revoked':
      return describeTokenFailure(failure, context);
    case 'unseal-failed':
    case 'settings-damaged':
    case 'edit-conflict':
    case 'store-unavailable':
      return describeStoreFailure(failure, context);
    case 'slack-failed':
    case 'not-installed':
    case 'cannot-post':
      return describeSlackFailure(failure, context);
    case 'throttled':
      return tryAgainIn(failure.wait, context);
  }
}

function describeServiceFailure(failure: ServiceFailure, context: ErrorContext): ErrorDescription {
  const { invocation } = context;
  switch (failure.kind) {
    case 'token-rejected':
      return replaceToken('It may have expired or been revoked.', context);
    case 'forbidden':
      return replaceToken('Its role may not cover billing, or it may belong to another account.', context);
    case 'no-data':
      return {
        todo: `Try another product${failure.question.days === undefined ? '' : ' or period'}, or check the project ID.`,
        buttons: otherProducts(failure.question.product.id, context),
      };
    case 'query-rejected':
      return { todo: 'Its message:', quotes: failure.messages, buttons: retryButton(invocation) };
    case 'rate-limited':
      return tryAgainIn((failure.retryAfter ?? 60) * 1000, context);
    case 'service-failed':
      return failure.status < 500 ? checkAddress(failure.service, context) : tryAgain(TEMPORARY, context);
    case 'timed-out':
    case 'service-paused':
      return tryAgain(TEMPORARY, context);
    case 'queue-full':
      return tryAgain('Try again in a minute.', context);
    case 'service-unreachable':
      return failure.code === NO_PUBLIC_ADDRESS
        ? checkAddress(failure.service, context, `The address may be wrong. ${PUBLIC_ONLY}`)
        : checkAddress(failure.service, context, 'The service may be down, or its address may be wrong.');
    case 'invalid-response':
      return checkAddress(failure.service, context);
    case 'response-too-large':
      return invocation?.command === '/spend'
        ? { todo: 'Ask for a shorter period.' }
        : checkAddress(failure.service, context);
    case 'redirect-refused':
      return {
        todo: `If the service has moved, a Tally manager can register the new address with ${ADDRESS_FORM[failure.service]}. It redirects to:`,
        quotes: [failure.target],
      };
    case 'address-refused':
      return { todo: PUBLIC_ONLY };
  }
}

function describeIdentityFailure(failure: IdentityFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'access-refused':
      return {
        todo:
          failure.status === 401
            ? `Its secret may be wrong or expired, or its user was disabled or lost the role. Check it in the console under ${ACCESS_PAGE}, or make a new one there.`
            : 'Its role may not be sufficient.',
      };
    case 'access-not-found':
      return {
        todo: `Its ID may be mistyped, or it was deleted. The console lists every access under ${ACCESS_PAGE}.`,
      };
    case 'project-disabled':
      return { todo: 'The project may be disabled or deleted. Check it in the console.' };
    case 'wrong-identity-url':
      return failure.suggestion === undefined
        ? { todo: 'Copy the address from the console: API endpoints, identity. It ends with /v3.' }
        : { todo: 'The address should end with /v3. Did you mean:', quotes: [failure.suggestion] };
    case 'outcome-unclear':
      return {
        todo: 'If there is a token, nobody has seen it, and it expires by itself. You can try again.',
        buttons: retryButton(context.invocation),
      };
  }
}

function describeCommandFailure(failure: CommandFailure, context: ErrorContext): ErrorDescription {
  const { invocation, requester } = context;
  switch (failure.kind) {
    case 'invalid-word':
      return describeInvalidWord(failure, context);
    case 'text-too-long':
      return { todo: 'Try a shorter command, such as /spend prod last-month.' };
    case 'secret-pasted':
      return invocation?.command === '/os-token'
        ? accessSecretPasted(requester)
        : {
            todo: `It stays in Slack’s history, so revoke it in the console and make a new one. A Tally manager can register that one.`,
            buttons: canManage(context) ? [CONNECT] : [],
          };
    case 'period-just-began':
      return { todo: 'Try again in a moment, or ask for yesterday.', buttons: retryButton(invocation) };
    case 'project-missing':
      return invocation === undefined || requester === undefined
        ? { todo: 'Use the ID on its project card in the console, for example /spend 123' }
        : {
            todo: '',
            choices:
              failure.projectFor === undefined
                ? projectPicker(invocation, requester)
                : projectSelect(invocation.command, failure.projectFor, requester),
          };
    case 'not-connected':
      return canManage(context)
        ? { todo: 'You need the service’s address and an access token.', buttons: [CONNECT] }
        : { todo: 'A Tally manager can connect it.' };
    case 'connection-missing':
      return canManage(context)
        ? {
            todo: 'Choose another connection, or register this one again.',
            buttons: [
              ...(failure.project?.alias === undefined || invocation === undefined
                ? []
                : commandButton('edit', 'Choose another…', {
                    command: '/billing',
                    text: `projects edit ${failure.project.alias}`,
                  })),
              button(
                'connect',
                'Connect…',
                failure.connection === undefined ? {} : { value: failure.connection },
              ),
            ],
          }
        : { todo: 'A Tally manager can choose another. /billing status lists them.' };
  }
}

function describePermissionFailure(failure: PermissionFailure): ErrorDescription {
  return failure.kind === 'not-allowed'
    ? { todo: ASK_INSTEAD[failure.reason] }
    : {
        todo: 'A Tally manager can add you with /billing projects access. Managers need to be added too.',
      };
}

const ASK_INSTEAD = {
  guest: 'Ask a full member, or ask an admin to allow guests.',
  stranger: 'Ask a member of that workspace.',
  'not-member': 'Ask a full member.',
  'not-owner': 'Ask one of them.',
  'not-manager': 'Ask an admin.',
  channel: 'Ask there, or ask a Tally manager to allow this channel.',
} as const;

function describeTokenFailure(failure: TokenFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'access-missing':
      return canManage(context)
        ? {
            todo: 'The console shows the ID and the secret when you make an access for applications.',
            buttons: [button('access', 'Register an access…', { value: failure.project, style: 'primary' })],
          }
        : { todo: 'A Tally manager can register one with /billing projects access.' };
    case 'too-many-tokens':
      return tryAgainIn(failure.wait, context);
    case 'token-too-long':
      return { todo: 'It wasn’t shown. Tally revoked it if the service supports that.' };
    case 'token-not-revoked':
      return {
        todo: [`Nobody has seen it. It may work until ${failure.until}.`, failure.why]
          .filter(Boolean)
          .join(' '),
      };
  }
}

function describeStoreFailure(failure: StoreFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'unseal-failed': {
      const reason =
        failure.reason === 'unknown-key'
          ? 'Its encryption key is missing. Tally’s operator can add the key to ENCRYPTION_KEYS again.'
          : 'The record is damaged, so Tally did not use it.';
      const isToken = failure.what === 'billing-token';
      return {
        todo: `${reason} ${RESTORE[failure.what]}`,
        buttons: isToken && canManage(context) ? [REPLACE_TOKEN] : [],
      };
    }
    case 'settings-damaged':
      return {
        todo: 'Tally can’t answer without the time zone in them. An admin can save them again with /billing settings.',
      };
    case 'edit-conflict':
      return { todo: 'Your change wasn’t saved. Check what it says now, then try again.' };
    case 'store-unavailable':
      return failure.unsure
        ? tryAgain('Your change may have been saved. Check in a minute before you repeat it.', context)
        : tryAgain('Nothing was changed. Try again in a minute.', context);
  }
}

/** What brings a damaged record back. */
const RESTORE = {
  'billing-token': 'A Tally manager can register the token again.',
  'application-access': 'A Tally manager can register it again with /billing projects access.',
  'slack-installation': 'An admin can install Tally again.',
  project: 'A Tally manager can remove it under /billing projects and add it again.',
  record: 'Tally’s operator can find details in its log.',
} as const;

function describeSlackFailure(failure: SlackFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'not-installed':
      return { todo: 'An admin can install Tally again.' };
    case 'slack-failed':
      if (failure.retryAfter !== undefined) return tryAgainIn(failure.retryAfter * 1000, context);
      if (failure.code === 'expired_trigger_id')
        return tryAgain('It took longer than the three seconds that Slack allows. Try again.', context);
      return tryAgain(
        ['Try again.', context.reference && sendReference(context.reference)].filter(Boolean).join(' '),
        context,
      );
    case 'cannot-post':
      return tryAgain(
        failure.reason === 'not-there'
          ? 'Type /invite @Tally there, then try again; or ask here.'
          : 'Ask in another channel, or here.',
        context,
      );
  }
}

const canManage = ({ requester }: ErrorContext): boolean => requester?.user.canManage === true;

const CONNECT = button('connect', 'Connect…', { style: 'primary' });
const REPLACE_TOKEN = button('connect', 'Replace token…', { style: 'primary' });

/** Where the address of each service is registered. */
const ADDRESS_FORM = { billing: '/billing connect', identity: '/billing projects access' } as const;

const ACCESS_PAGE = 'Cloud servers → the project → Access for applications';

const TEMPORARY = 'This is usually temporary. Try again.';

const PUBLIC_ONLY =
  'Tally connects to public https addresses only. Tally’s operator can allow others in TRUSTED_API_HOSTS.';

const sendReference = (reference: string): string =>
  `If it keeps happening, send your admin this reference: ${reference}.`;

export const retryButton = (invocation?: CommandInvocation): Button[] =>
  invocation === undefined ? [] : commandButton('again', 'Try again', invocation);

const tryAgain = (todo: string, { invocation }: ErrorContext): ErrorDescription => ({
  todo,
  buttons: retryButton(invocation),
});

/** @param wait in ms */
const tryAgainIn = (wait: number, context: ErrorContext): ErrorDescription =>
  tryAgain(wait <= 0 ? 'You can try again now.' : `Try again in ${formatWait(wait)}.`, context);

/** `a second`, `4 seconds`, `2 minutes`; rounded up. */
function formatWait(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 1) return 'a second';
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.ceil(ms / 60_000);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

const replaceToken = (reason: string, context: ErrorContext): ErrorDescription => ({
  todo: `${reason} A Tally manager can replace it.`,
  buttons: canManage(context) ? [REPLACE_TOKEN] : [],
});

const checkAddress = (
  service: Service,
  context: ErrorContext,
  reason = 'The address may lead to something else, such as a login page or a proxy.',
): ErrorDescription =>
  tryAgain(`${reason} A Tally manager can check it with ${ADDRESS_FORM[service]}.`, context);

/** The reply to a secret in `/os-token`: where the secret of an application access belongs. */
function accessSecretPasted(requester: Requester | undefined): ErrorDescription {
  const revoke = 'It stays in Slack’s history, so delete the access in the console and make a new one.';
  if (requester?.user.canManage !== true)
    return { todo: `${revoke} A Tally manager registers it with /billing projects access.` };
  const projects = visibleProjects(requester.workspace, privateLocation(requester));
  if (projects.length === 0)
    return { todo: `${revoke} Register that one with /billing projects access 123.` };
  const options = projects.map(({ alias, id }) => option(alias, id));
  return {
    todo: `${revoke} Register that one in the form of its project:`,
    choices: [actions(select('access:project', 'Choose a project', options))],
  };
}

/** Buttons that ask the same question about the other two products. */
function otherProducts(asked: ProductId, { invocation, requester }: ErrorContext): Button[] {
  if (invocation === undefined) return [];
  const { command, text } = invocation;
  const { project, alias = project, phrase } = parseCommandText(text, requester?.workspace.aliases);
  const words = [alias, phrase && formatPhrase(phrase)].filter(Boolean).join(' ');
  return PRODUCT_IDS.filter((id) => id !== asked).flatMap((id) =>
    commandButton(`product-${id}`, `Try ${PRODUCTS[id].name}`, {
      command,
      text: `${words} ${PRODUCTS[id].word}`.trim(),
    }),
  );
}

/** With a button for the correction, or for each meaning of an ambiguous word. */
function describeInvalidWord(
  failure: InvalidWord,
  { invocation, requester }: ErrorContext,
): ErrorDescription {
  const { suggestion, readings, fact, why, projectFor } = failure;
  const texts = (suggestion === undefined ? readings : [suggestion]).filter(
    (text) =>
      requester === undefined ||
      canSuggest(text, { ...privateLocation(requester), workspace: requester.workspace }),
  );
  const buttons =
    invocation === undefined ? [] : texts.flatMap((text, at) => suggestionButton(text, invocation, at));
  const isUnknown = why === UNRECOGNIZED || why === UNKNOWN_COMMAND;
  // A suggestion that leaves the word out corrects no spelling: then the hint about what the command takes stays.
  const isSpelling = suggestion?.split(' ').length === invocation?.text.trim().split(/\s+/).length;
  const isGuess = isUnknown && isSpelling && buttons.length > 0;
  const choices =
    invocation === undefined || requester === undefined || projectFor === undefined
      ? []
      : projectSelect(invocation.command, projectFor, requester);
  return { todo: '', buttons, choices, ...(isGuess && { sentence: `${fact} Did you mean this?` }) };
}

function suggestionButton(text: string, { command }: CommandInvocation, at: number): Button[] {
  const id = at === 0 ? 'suggestion' : `suggestion-${at}`;
  const style = at === 0 ? ({ style: 'primary' } as const) : {};
  return commandButton(id, `${command} ${text}`.trim(), { command, text }, style);
}
