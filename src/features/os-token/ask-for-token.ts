import type { Button } from '@slack/types';
import { type Failure, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import { type Block, button, compact, section, withoutActions } from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import type { ProjectReference } from '../../workspace/projects/resolve-project.ts';
import type { GrantClaim, TokenGrant } from '../../workspace/short-lived/token-grants.ts';
import { mayHaveIssued } from './audit.ts';
import {
  ALREADY_USED,
  anotherButton,
  BUSY,
  confirmIssueModal,
  issuingModal,
  showInWindow,
  slashCommandOnlyMessage,
  tokenWindow,
} from './blocks.ts';
import { issueToken } from './issue-token.ts';
import type { Tokens } from './modal-tokens.ts';
import {
  claimOf,
  createTokenRequest,
  grantLifetime,
  parseTokenRequest,
  repeatTokenRequest,
  requireIssuer,
  type TokenContext,
  type TokenRequest,
} from './token-request.ts';

interface IssueModal {
  readonly tokens: Tokens;
  readonly word: string;
  readonly grant?: TokenGrant | undefined;
  readonly claim?: GrantClaim;
}

/**
 * Asks for a token: in a channel it is confirmed first by users who have not seen the notice yet.
 * @param typed the words of the command, for a button that runs it again
 * @throws Failure until the modal is open; after that the modal shows it
 */
export async function askForToken(
  project: ProjectReference,
  typed: string,
  context: TokenContext,
): Promise<void> {
  const { request, grants } = context;
  const { user, channel, workspace, reply } = request;
  if (!reply.modal.canOpen)
    return reply.private(slashCommandOnlyMessage(typed, { command: '/os-token', text: typed }));
  const tokenRequest = createTokenRequest(project, undefined, [], request);
  const { grant, label } = tokenRequest;
  const isInChannel = channel !== undefined && !isDirectMessage(channel);
  if (isInChannel && !workspace.hasSeenTokenNotice(user.id)) {
    await requireIssuer(label, tokenRequest.access, request);
    const handle = await grants.keep(user.teamId, grant, grantLifetime(context));
    return reply.modal.open(confirmIssueModal(label, handle));
  }
  await reply.modal.open(issuingModal(label));
  await issueIn({ grant, word: grant.word, tokens: [] }, () => tokenRequest, context);
}

/**
 * Issues one more token from a modal.
 * @param tokens the tokens that the modal lists; the first one has the grant
 * @param word the project as typed, for when the grant is no longer stored
 */
export async function issueAgain(tokens: Tokens, word: string, context: TokenContext): Promise<void> {
  const { request, grants } = context;
  const { modal } = request.reply;
  const claim = claimOf(tokens[0]?.grantText ?? '', 'issue', context);
  const claimed = await grants.claim(claim);
  if (claimed === 'busy')
    return modal.updateIfUnchanged(
      tokenWindow([BUSY], tokens, context, anotherButton('Issue another', word)),
    );
  if (claimed === undefined && word === '') return modal.update(tokenWindow([ALREADY_USED], tokens, context));
  const { grant } = claimed ?? {};
  const opened = { claim, grant, word: grant?.word ?? word, tokens };
  await modal.tryUpdate(issuingModal(opened.word));
  const createRequest = () =>
    grant === undefined
      ? parseTokenRequest(word, tokens, request)
      : repeatTokenRequest(grant, tokens, request);
  await issueIn(opened, createRequest, context);
}

/** The modal is open from here on, so it shows the errors too. */
async function issueIn(
  opened: IssueModal,
  createRequest: () => TokenRequest,
  context: TokenContext,
): Promise<void> {
  try {
    const tokenRequest = createRequest();
    await requireIssuer(tokenRequest.label, tokenRequest.access, context.request);
    await issueToken(tokenRequest, context);
  } catch (error) {
    if (!isFailure(error)) throw error;
    await showError(error, opened, context);
  }
}

async function showError(error: Failure, opened: IssueModal, context: TokenContext): Promise<void> {
  const { request } = context;
  request.recordError(error);
  const tokens = await tokensAfter(opened, context);
  const { text, blocks } = failureMessage(error, request);
  const explanation = { text, blocks: [...withoutActions(blocks), ...maybeIssuedBlocks(error)] };
  const buttons = tokens.length > 0 ? remedies(error, opened, request.user.canManage) : [];
  await showInWindow(explanation, tokens, context, ...buttons);
}

/** For an answer that Tally can't read: it may have brought a token. */
export const maybeIssuedBlocks = (failure: Failure): Block[] =>
  mayHaveIssued(failure) && failure.kind !== 'outcome-unclear'
    ? [section('It may have issued a token. Nobody has seen it, and it expires by itself.')]
    : [];

/** Releases the modal's claim, or stores a grant if it had none. @returns what the modal lists from now on */
async function tokensAfter({ claim, grant, tokens }: IssueModal, context: TokenContext): Promise<Tokens> {
  const { request, grants } = context;
  if (claim !== undefined) await grants.release(claim).catch(ignoreFailure);
  if (claim !== undefined || grant === undefined) return tokens;
  const grantText = await grants
    .keep(request.user.teamId, grant, grantLifetime(context))
    .catch(ignoreFailure);
  return grantText === undefined ? tokens : [{ grantText, expires: undefined }, ...tokens];
}

/** The buttons below an error. Where the access is wrong, managers can replace it. */
function remedies(failure: Failure, { grant, word }: IssueModal, manage: boolean): Button[] {
  const project = grant?.project ?? word;
  const again = anotherButton('Try again', word);
  switch (failure.kind) {
    case 'not-issuer':
    case 'not-allowed':
      return [];
    case 'wrong-identity-url': {
      const value = JSON.stringify({ project, authUrl: failure.data.suggestion });
      const label = failure.data.suggestion === undefined ? 'Replace access…' : 'Use the corrected address…';
      return manage ? [button('access-form', label, { value, style: 'primary' })] : [];
    }
    case 'access-refused':
    case 'access-not-found':
    case 'project-disabled':
    case 'access-missing':
    case 'unseal-failed': {
      const isKeyGone = failure.kind === 'unseal-failed' && failure.data.reason !== 'malformed';
      return compact([
        manage &&
          !isKeyGone &&
          button('access-form', 'Replace access…', { value: project, style: 'primary' }),
        again,
      ]);
    }
    default:
      return [again];
  }
}
