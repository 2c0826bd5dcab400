import type { Button } from '@slack/types';
import {
  AccessMissing,
  type Failure,
  isFailure,
  NotConnected,
  NotIssuer,
  ProjectMissing,
} from '../../domain/failure/index.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { button, withoutActions } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage } from '../../slack/kit/help.ts';
import { isDirectMessage } from '../../slack/post-message.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { isNamedIssuer } from '../../workspace/accesses.ts';
import { type GrantClaim, grantHandle, type TokenGrant } from '../../workspace/one-time-grants.ts';
import {
  type ProjectReference,
  type ResolvedProject,
  resolveProject,
} from '../../workspace/resolve-project.ts';
import { findAccess, findProject } from '../../workspace/workspace.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { type AccessParts, createAccess } from './access.ts';
import {
  anotherButton,
  busyModal,
  CONFIRM_VIEW,
  confirmIssueModal,
  issuingModal,
  slashCommandOnlyMessage,
  tokenErrorModal,
  usedModal,
  waitingTokenModal,
} from './blocks.ts';
import {
  createIssuing,
  type IssuingParts,
  ignoreFailure,
  requireIssuer,
  type TokenRequest,
  userZone,
} from './issuing.ts';
import { createRevoking } from './revoking.ts';
import { parseWindowTokens, type WindowToken } from './window-tokens.ts';
import { parseTokenText } from './words.ts';

const ACCESS_HELP: HelpLine = {
  usage: '/billing projects access [project]',
  what: 'Registers the application access that issues OS_TOKENs, and who may get them.',
  right: 'manage',
  examples: ['/billing projects access prod'],
};
const HELP: HelpLine = {
  usage: '/os-token [project]',
  what: 'Issues a temporary OS_TOKEN for the cloud platform’s API. Only you see it.',
  examples: ['/os-token prod', '/os-token 123'],
};

export interface OsTokenParts extends IssuingParts, AccessParts {
  readonly workspaces: Workspaces;
}

/** How long a question may wait for its answer, in ms. */
const PATIENCE = 60 * 60_000;

/** `/os-token`: issues a token, shows it once to the person who asks, and revokes it from there. Tally keeps nothing of it. */
export function createOsToken(parts: OsTokenParts): Feature {
  const { workspaces, handles, clock, explain } = parts;
  const issue = createIssuing(parts);
  const revoke = createRevoking(parts);
  const access = createAccess(parts);

  /** What may be wanted by those who are asked about at once; groups are asked about when the modal is open. */
  const createTokenRequest = (
    named: ProjectReference,
    word: string | undefined,
    tokens: Tokens,
    request: Request,
  ): TokenRequest => {
    const { workspace, user, channel } = request;
    const target = targetIn(named, request);
    const registered = findAccess(workspace, target.project);
    if (registered === undefined) throw new AccessMissing(target.project, target.label);
    const isPossible = registered.issuers.groups.length > 0 || isNamedIssuer(registered, user.id);
    if (!isPossible) throw new NotIssuer(target.label);
    const place = channel === undefined ? {} : { channel };
    const grant = { person: user.id, project: target.project, word: word ?? target.word, ...place };
    return { grant, label: target.label, access: registered, tokens };
  };

  /** As it was asked for, by what is registered now. */
  const repeatTokenRequest = (
    { word, project, channel }: TokenGrant,
    tokens: Tokens,
    request: Request,
  ): TokenRequest => {
    const isSame =
      request.workspace.aliases.has(word) && findProject(request.workspace, word)?.id === project;
    return createTokenRequest(isSame ? { alias: word } : { project }, word, tokens, { ...request, channel });
  };

  /** Where nothing is kept of what was asked for, the word counts as typed: in no channel. */
  const parseTokenRequest = (word: string, tokens: Tokens, request: Request): TokenRequest => {
    const named = parseTokenText(word, request.workspace.aliases);
    if (named === 'help') throw new ProjectMissing();
    return createTokenRequest(named, undefined, tokens, request);
  };

  /** From here on errors are shown in the modal, where the person looks. */
  const issueIn = async (window: IssueWindow, find: () => TokenRequest, request: Request): Promise<void> => {
    try {
      const tokenRequest = find();
      await requireIssuer(tokenRequest.label, tokenRequest.access, request);
      await issue(tokenRequest, request);
    } catch (error) {
      if (!isFailure(error)) throw error;
      await showError(error, window, request);
    }
  };

  /** @returns what the window leads to from now on: its claim is over, or there was none and one is made */
  const tokensAfter = async ({ claim, grant, tokens }: IssueWindow, request: Request): Promise<Tokens> => {
    const at = clock();
    if (claim !== undefined) await handles.release(claim).catch(ignoreFailure);
    if (claim !== undefined || grant === undefined) return tokens;
    const kept = handles.keep(request.user.teamId, grant, { at, until: at + PATIENCE });
    const carried = await kept.catch(ignoreFailure);
    return carried === undefined ? tokens : [{ carried, expires: undefined }, ...tokens];
  };

  const showError = async (error: Failure, window: IssueWindow, request: Request): Promise<void> => {
    explain(error, 'os-token');
    const tokens = await tokensAfter(window, request);
    const message = failureMessage(error);
    const explanation = withoutActions(message.blocks);
    const buttons = tokens.length > 0 ? remedies(error, window, request.user.canManage) : [];
    const shownIn = { tokens, now: clock(), zone: userZone(request) };
    await request.reply.modal.update(tokenErrorModal(explanation, buttons, shownIn), {
      text: message.text,
      blocks: explanation,
    });
  };

  const ask = async (named: ProjectReference, request: Request, rerunText: string): Promise<void> => {
    const { user, channel, workspace } = request;
    if (!request.reply.modal.canOpen)
      return request.reply.private(
        slashCommandOnlyMessage(rerunText, { command: '/os-token', text: rerunText }),
      );
    const tokenRequest = createTokenRequest(named, undefined, [], request);
    const { grant } = tokenRequest;
    const isSeen = channel !== undefined && !isDirectMessage(channel);
    if (isSeen && !workspace.hasSeenTokenNotice(user.id)) {
      await requireIssuer(tokenRequest.label, tokenRequest.access, request);
      const at = clock();
      const handle = await handles.keep(user.teamId, grant, { at, until: at + PATIENCE });
      return request.reply.modal.open(confirmIssueModal(tokenRequest.label, handle));
    }
    await request.reply.modal.open(issuingModal(tokenRequest.label));
    await issueIn({ grant, word: grant.word, tokens: [] }, () => tokenRequest, request);
  };

  const claimFor = ({ carried = '' }: Partial<WindowToken>, request: Request): GrantClaim => ({
    workspace: request.user.teamId,
    person: request.user.id,
    carried,
    purpose: 'issue',
    at: clock(),
  });

  /** From what a window leads to. @param word of the project, by which it is asked for where nothing is kept */
  const issueAgain = async (tokens: Tokens, word: string, request: Request): Promise<void> => {
    const claim = claimFor(tokens[0] ?? {}, request);
    const claimed = await handles.claim(claim);
    const shownIn = { tokens, now: clock(), zone: userZone(request) };
    if (claimed === 'busy')
      return request.reply.modal.updateIfUnchanged(
        busyModal([anotherButton('Issue another', word)], shownIn),
      );
    if (claimed === undefined && word === '') return request.reply.modal.update(usedModal(shownIn));
    const { grant } = claimed ?? {};
    await request.reply.modal.tryUpdate(issuingModal(grant?.word ?? word));
    if (grant === undefined)
      return issueIn({ claim, word, tokens }, () => parseTokenRequest(word, tokens, request), request);
    const window = { claim, grant, word: grant.word, tokens };
    await issueIn(window, () => repeatTokenRequest(grant, tokens, request), request);
  };

  return {
    help: [HELP, ACCESS_HELP],
    projectVerbs: { access: { label: 'Application access…', open: access.open } },
    options: access.options,
    commands: {
      '/os-token': {
        right: 'ask',
        async run(text, request) {
          const named = parseTokenText(text, request.workspace.aliases);
          if (named === 'help') return request.reply.private(helpMessage('Temporary tokens', [HELP]));
          await ask(named, request, named.alias ?? named.project ?? '');
        },
      },
    },
    actions: {
      ...access.actions,
      'os-token-revoke': {
        right: 'belong',
        async run({ metadata, value: handle }, request) {
          const tokens = parseWindowTokens(metadata);
          const token = tokens.find(({ carried }) => grantHandle(carried) === handle) ?? tokens[0];
          if (token === undefined)
            return request.reply.modal.update(usedModal({ tokens, now: clock(), zone: userZone(request) }));
          await revoke(tokens, token, request);
        },
      },
      'os-token-another': {
        right: 'ask',
        run: ({ metadata, value }, request) => issueAgain(parseWindowTokens(metadata), value, request),
      },
    },
    views: {
      ...access.views,
      [CONFIRM_VIEW]: {
        right: 'ask',
        waiting: waitingTokenModal,
        read: (_, metadata) => ({ input: metadata }),
        async work(carried: string, request) {
          const { teamId, id } = request.user;
          // Nobody waits for the note: where it is lost, they are asked once more.
          await Promise.all([
            workspaces.noteTokenNoticeSeen(teamId, id, request.at).catch(ignoreFailure),
            issueAgain(parseWindowTokens(carried), '', request),
          ]);
        },
      },
    },
  };
}

type Tokens = readonly WindowToken[];

/** The window that a token is asked for in. */
interface IssueWindow {
  readonly tokens: Tokens;
  /** What is typed to mean the project. */
  readonly word: string;
  /** What is asked for, where that is known. */
  readonly grant?: TokenGrant;
  /** By which the first of `tokens` is claimed. */
  readonly claim?: GrantClaim;
}

/** A token takes no connection to billing, so nobody is sent to make one first. */
function targetIn(named: ProjectReference, request: Request): ResolvedProject {
  try {
    return resolveProject(named, request.workspace, askLocation(request));
  } catch (error) {
    throw error instanceof NotConnected ? new ProjectMissing() : error;
  }
}

/** What can be done about it from the modal: by whoever manages, where the access itself is the matter. */
function remedies(failure: Failure, { grant, word }: IssueWindow, manage: boolean): Button[] {
  const project = grant?.project ?? word;
  const again = anotherButton('Try again', word);
  switch (failure.kind) {
    case 'not-issuer':
    case 'not-allowed':
      return [];
    case 'wrong-identity-url': {
      const value = JSON.stringify({ project, authUrl: failure.suggestion });
      const label = failure.suggestion === undefined ? 'Replace access…' : 'Use the corrected address…';
      return manage ? [button('access', label, { value, style: 'primary' })] : [];
    }
    case 'access-refused':
    case 'access-not-found':
    case 'project-disabled':
    case 'access-missing':
    case 'unseal-failed':
      return [
        ...(manage ? [button('access', 'Replace access…', { value: project, style: 'primary' })] : []),
        again,
      ];
    default:
      return [again];
  }
}
