import type { Button } from '@slack/types';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import { type Block, button, section, withoutActions } from '../../slack/kit/atoms.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import { isDirectMessage } from '../../slack/reply/post-message.ts';
import type { Request } from '../../slack/request/request.ts';
import type { GrantClaim, TokenGrant } from '../../workspace/once/one-time-grants.ts';
import type { ProjectReference } from '../../workspace/projects/resolve-project.ts';
import { mayHaveIssued } from './audit.ts';
import {
  anotherButton,
  busyModal,
  confirmIssueModal,
  issuingModal,
  slashCommandOnlyMessage,
  tokenErrorModal,
  usedModal,
} from './blocks.ts';
import { type IssuingParts, ignoreFailure, issueToken, userZone } from './issuing.ts';
import {
  createTokenRequest,
  parseTokenRequest,
  repeatTokenRequest,
  requireIssuer,
  type TokenRequest,
  type Tokens,
} from './token-requests.ts';
import type { WindowToken } from './window-tokens.ts';

/** How long a modal's grant stays valid, in ms. */
const GRANT_TTL = 60 * 60_000;

/** The modal that a token is asked for in. */
interface IssueModal {
  readonly tokens: Tokens;
  /** The project as it was typed. */
  readonly word: string;
  /** What was asked for, if that is known. */
  readonly grant?: TokenGrant;
  /** Claims the first of `tokens`. */
  readonly claim?: GrantClaim;
}

/**
 * Asks for a token: in a channel it is confirmed first by users who have not seen the notice yet.
 *
 * @param typed the words of the command, for a button that runs it again
 *
 * @throws Failure until the modal is open; after that the modal shows it
 */
export async function askForToken(
  project: ProjectReference,
  typed: string,
  request: Request,
  parts: IssuingParts,
): Promise<void> {
  const { user, channel, workspace, reply } = request;
  if (!reply.modal.canOpen)
    return reply.private(slashCommandOnlyMessage(typed, { command: '/os-token', text: typed }));
  const tokenRequest = createTokenRequest(project, undefined, [], request);
  const { grant, label } = tokenRequest;
  const isInChannel = channel !== undefined && !isDirectMessage(channel);
  if (isInChannel && !workspace.hasSeenTokenNotice(user.id)) {
    await requireIssuer(label, tokenRequest.access, request);
    const at = parts.clock();
    const handle = await parts.grants.keep(user.teamId, grant, { at, until: at + GRANT_TTL });
    return reply.modal.open(confirmIssueModal(label, handle));
  }
  await reply.modal.open(issuingModal(label));
  await issueIn({ grant, word: grant.word, tokens: [] }, () => tokenRequest, request, parts);
}

/**
 * Issues one more token from a modal.
 *
 * @param tokens the tokens that the modal lists; the first one has the grant
 * @param word the project as typed, for when the grant is no longer stored
 */
export async function issueAgain(
  tokens: Tokens,
  word: string,
  request: Request,
  parts: IssuingParts,
): Promise<void> {
  const { modal } = request.reply;
  const claim = claimFor(tokens[0] ?? {}, request, parts);
  const claimed = await parts.grants.claim(claim);
  const shownIn = { tokens, now: parts.clock(), zone: userZone(request) };
  if (claimed === 'busy')
    return modal.updateIfUnchanged(busyModal([anotherButton('Issue another', word)], shownIn));
  if (claimed === undefined && word === '') return modal.update(usedModal(shownIn));
  const { grant } = claimed ?? {};
  await modal.tryUpdate(issuingModal(grant?.word ?? word));
  if (grant === undefined)
    return issueIn({ claim, word, tokens }, () => parseTokenRequest(word, tokens, request), request, parts);
  const opened = { claim, grant, word: grant.word, tokens };
  await issueIn(opened, () => repeatTokenRequest(grant, tokens, request), request, parts);
}

const claimFor = (
  { carried = '' }: Partial<WindowToken>,
  { user }: Request,
  { clock }: IssuingParts,
): GrantClaim => ({ workspace: user.teamId, person: user.id, carried, purpose: 'issue', at: clock() });

/** The modal is open from here on, so it shows the errors too. */
async function issueIn(
  opened: IssueModal,
  createRequest: () => TokenRequest,
  request: Request,
  parts: IssuingParts,
): Promise<void> {
  try {
    const tokenRequest = createRequest();
    await requireIssuer(tokenRequest.label, tokenRequest.access, request);
    await issueToken(tokenRequest, request, parts);
  } catch (error) {
    if (!isFailure(error)) throw error;
    await showError(error, opened, request, parts);
  }
}

async function showError(
  error: Failure,
  opened: IssueModal,
  request: Request,
  parts: IssuingParts,
): Promise<void> {
  parts.explain(error, 'os-token');
  const tokens = await tokensAfter(opened, request, parts);
  const message = failureMessage(error);
  const explanation = [...withoutActions(message.blocks), ...maybeIssuedBlocks(error)];
  const buttons = tokens.length > 0 ? remedies(error, opened, request.user.canManage) : [];
  const shownIn = { tokens, now: parts.clock(), zone: userZone(request) };
  await request.reply.modal.update(tokenErrorModal(explanation, buttons, shownIn), {
    text: message.text,
    blocks: explanation,
  });
}

/** For an answer that Tally can't read: it may have brought a token. */
export const maybeIssuedBlocks = (failure: Failure): Block[] =>
  mayHaveIssued(failure) && failure.kind !== 'outcome-unclear'
    ? [section('It may have issued a token. Nobody has seen it, and it expires by itself.')]
    : [];

/** Releases the modal's claim, or stores a grant if it had none. @returns what the modal lists from now on */
async function tokensAfter(
  { claim, grant, tokens }: IssueModal,
  { user }: Request,
  { grants, clock }: IssuingParts,
): Promise<Tokens> {
  const at = clock();
  if (claim !== undefined) await grants.release(claim).catch(ignoreFailure);
  if (claim !== undefined || grant === undefined) return tokens;
  const carried = await grants.keep(user.teamId, grant, { at, until: at + GRANT_TTL }).catch(ignoreFailure);
  return carried === undefined ? tokens : [{ carried, expires: undefined }, ...tokens];
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
      const value = JSON.stringify({ project, authUrl: failure.suggestion });
      const label = failure.suggestion === undefined ? 'Replace access…' : 'Use the corrected address…';
      return manage ? [button('access-form', label, { value, style: 'primary' })] : [];
    }
    case 'access-refused':
    case 'access-not-found':
    case 'project-disabled':
    case 'access-missing':
    case 'unseal-failed':
      return [
        ...(manage ? [button('access-form', 'Replace access…', { value: project, style: 'primary' })] : []),
        again,
      ];
    default:
      return [again];
  }
}
