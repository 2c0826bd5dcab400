/** `/os-token` shows a new token once, to the person who asks, in a window that can revoke it. Tally stores no tokens. */
import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { PRODUCTS } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure, failureOf, InvalidWord, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { parseSingleProjectText } from '../../domain/language/parse-command-text.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { IssuedToken, Revocation } from '../../identity/client.ts';
import { renderShellCommands } from '../../identity/shell-commands.ts';
import {
  actions,
  button,
  compact,
  context,
  escapeMarkup,
  instantMarkup,
  type Message,
  markup,
  modal,
  preformatted,
  SLACK_LIMITS,
  section,
  textMessage,
  withoutActions,
} from '../../slack/block-kit/blocks.ts';
import { type HelpLine, helpMessage } from '../../slack/commands/help.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/handlers.ts';
import { isNamedIssuer, type OpenableAccess } from '../../workspace/credentials/credential-records.ts';
import { type ProjectReference, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { projectId, tryParseRecord } from '../../workspace/record/record-schemas.ts';
import { findAccess, parseContextOf } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import {
  createAccessForm,
  describeTokenScope,
  projectAuditText,
  removeAccess,
  type TokenServices,
  tenantOf,
  UNRESTRICTED,
} from './access-form.ts';

const ACCESS_HELP: HelpLine = {
  usage: `${commandText('/billing projects access')} [project]`,
  what: 'Add the application access that issues OS_TOKENs, and choose who can get them.',
  right: 'manage',
  examples: [`${commandText('/billing projects access')} prod`],
};
const HELP: HelpLine = {
  usage: `${commandText('/os-token')} [project]`,
  what: 'Get a temporary OS_TOKEN for the cloud platform’s API. Only you see it.',
  examples: [`${commandText('/os-token')} prod`, `${commandText('/os-token')} 123`],
};

export function createOsTokenFeature(services: TokenServices): Feature {
  const form = createAccessForm(services);
  return {
    help: [HELP, ACCESS_HELP],
    openAccess: form.open,
    forms: [form],
    commands: {
      '/os-token': {
        right: 'ask',
        parse: (text, _, parseContext) => parseTokenText(text, parseContext),
        changes: true,
        opensForm: true,
        async run(text, request) {
          const named = parseTokenText(text, parseContextOf(request.workspace, request.at));
          if (named === 'help') return request.reply.private(helpMessage('Temporary tokens', [HELP]));
          await issueToken(named, request, services);
        },
      },
    },
    actions: {
      'access-form': onClick('manage', { opensForm: true }, form.open),
      'access-remove': onClick('manage', { changes: true }, (value, request) =>
        removeAccess(value, request, services),
      ),
      'os-token-revoke': {
        right: 'workspaceUser',
        changes: true,
        run: ({ metadata }, request) => revokeToken(metadata, request, services),
      },
    },
  };
}

const TITLE = 'OS_TOKEN';

function parseTokenText(text: string, parseContext: ParseContext): ProjectReference | 'help' {
  const { help, phrase, product, project, alias } = parseSingleProjectText(text, parseContext);
  if (help) return 'help';
  const word = alias ?? project ?? 'prod';
  const refusal = (bad: string, why: string) =>
    new InvalidWord(bad, why, `Type ${commandText('/os-token')} ${word}.`);
  if (phrase !== undefined) throw refusal(phrase.typed, 'is a period. Tokens don’t need one');
  if (product !== undefined)
    throw refusal(PRODUCTS[product].word, 'is a product. A token covers the whole project');
  return withoutUndefined({ project, alias });
}

interface TokenProject {
  readonly project: string;
  readonly label: string;
  readonly word: string;
  readonly access: OpenableAccess;
}

/** False for a click that was already handled. While Redis is down, true for every click. */
const isFirstUse = (use: string, { user }: Request, { dedup }: TokenServices): Promise<boolean> =>
  dedup.first(user.teamId, `os-token ${use}`);

async function issueToken(named: ProjectReference, request: Request, services: TokenServices): Promise<void> {
  const { reply, user } = request;
  const target = findTokenProject(named, request);
  const { viewId, viewHash } = reply.source;
  if (viewId !== undefined && !(await isFirstUse(`${viewId} ${viewHash}`, request, services))) return;
  const waiting = [section(`Issuing a token for ${target.label}…`), context('It appears here.')];
  await reply.modal.open(modal({ title: TITLE, blocks: waiting }));
  // Slack keeps messages, so a token is shown only in a window.
  if (!reply.modal.canOpen) return;
  await requireIssuer(target, request);
  services.limits.demand('tests', { teamId: user.teamId, userId: user.id });
  const issued = await services.identity.issue(target.access.open(), tenantOf(target.project, request));
  await showToken(issued, target, request, services);
}

/** Doesn't check user groups, because that takes a call to Slack. @throws access-missing, not-issuer */
function findTokenProject(named: ProjectReference, request: Request): TokenProject {
  const { project, label, word } = resolveProject(named, request.workspace, request);
  // People of other organizations never get tokens, even where they may ask about spend.
  if (request.user.role === 'external') throw new Failure('not-allowed', { reason: 'external' });
  const access = findAccess(request.workspace, project);
  if (access === undefined) throw new Failure('access-missing', { project, label });
  if (access.issuers.groups.length === 0 && !isNamedIssuer(access, request.user.id))
    throw new Failure('not-issuer', { label });
  return { project, label, word, access };
}

async function requireIssuer({ label, access }: TokenProject, { user, slack }: Request): Promise<void> {
  if (isNamedIssuer(access, user.id)) return;
  const { groups } = access.issuers;
  if (groups.length === 0 || !(await slack.isInGroups(groups))) throw new Failure('not-issuer', { label });
}

const shownTokenSchema = z.object({
  token: z.string(),
  /** The service that issued the token. Tally sends the token to no other service. */
  authUrl: z.string(),
  project: projectId,
});
/** Tally stores no tokens, so the window's metadata keeps the token, encrypted. */
type ShownToken = Readonly<z.infer<typeof shownTokenSchema>>;

const ownerOf = ({ teamId, id }: Request['user']) => ({ workspace: teamId, kind: 'os-token', id });

const sealToken = (shown: ShownToken, user: Request['user'], keyring: TokenServices['keyring']): string =>
  keyring.seal(JSON.stringify(shown), ownerOf(user));

/** @returns undefined if the metadata is invalid or belongs to another person */
const openToken = (
  metadata: string,
  user: Request['user'],
  keyring: TokenServices['keyring'],
): ShownToken | undefined =>
  tryParseRecord(
    shownTokenSchema,
    tryParse(() => keyring.open(metadata, ownerOf(user)), Failure),
  );

/** Shows the token in the open window, or revokes a token that can't be audited or shown. @throws token-not-shown */
async function showToken(
  issued: IssuedToken,
  target: TokenProject,
  request: Request,
  services: TokenServices,
): Promise<void> {
  const { workspaces, identity, keyring } = services;
  const { user, workspace, reply } = request;
  const { project, label, access } = target;
  const credential = { kind: 'access', name: project } as const;
  const record = (action: string) => recordToken(action, project, request, services);
  const notShown = async (why: string | undefined, cause?: unknown): Promise<Failure> => {
    const tenant = tenantOf(project, request);
    const revoked = await identity.revoke(access.authUrl, issued.token, tenant).catch(ignoreFailure);
    const isRevoked = revoked === 'revoked' || revoked === 'already-dead';
    if (isRevoked) await record(REVOKED).catch(request.recordError);
    return new Failure('token-not-shown', { label, why, isRevoked }, { cause });
  };
  const shown = { token: issued.token, authUrl: access.authUrl, project };
  const sealed = access.revocable === false ? undefined : sealToken(shown, user, keyring);
  const lines = renderShellCommands(issued, access.authUrl);
  if (lines.length > SLACK_LIMITS.section || (sealed ?? '').length > SLACK_LIMITS.privateMetadata)
    throw await notShown(`It has ${issued.token.length} characters, more than Slack can show.`);
  const checkAndRecord = async (): Promise<void> => {
    await reply.confirm();
    await requireIssuer(target, request);
    // The audit entry is written before anybody sees the token.
    await record(ISSUED);
  };
  await checkAndRecord().catch(async (error: unknown) => {
    throw await notShown(isFailure(error) ? error.message : undefined, error);
  });
  if (!(await reply.modal.update(tokenModal(issued, target, lines, sealed))))
    throw await notShown(
      `The window was closed, or Slack refused to show the token. For another token, type ${commandText('/os-token')} ${target.word}.`,
    );
  // The token has already been shown, so a failure here doesn't matter.
  if (workspace.rejectedAt(credential) !== undefined)
    await workspaces.clearRejection(user.teamId, credential).catch(ignoreFailure);
}

const ISSUED = 'got an OS_TOKEN for';
const REVOKED = 'revoked an OS_TOKEN of';

const recordToken = (
  action: string,
  project: string,
  { user, workspace }: Request,
  { audit, clock }: TokenServices,
): Promise<void> =>
  audit.record(user.teamId, {
    at: clock(),
    who: user.id,
    action,
    about: projectAuditText(workspace, project),
  });

/** The token has a block of its own, so that people can copy it whole. @param sealed metadata for **Revoke now** */
function tokenModal(
  issued: IssuedToken,
  { label }: TokenProject,
  lines: string,
  sealed: string | undefined,
): ModalView {
  const { expiresAt } = issued;
  const expiry = expiresAt
    ? `Expires: ${instantMarkup(expiresAt)}`
    : 'The service doesn’t say when it expires.';
  return modal({
    title: TITLE,
    ...(sealed !== undefined && { metadata: sealed }),
    blocks: compact([
      markup(
        `OS_TOKEN for ${escapeMarkup(label)}: a temporary key to the cloud platform’s API. Anyone who has it can act in the project.\n${expiry}`,
      ),
      preformatted(issued.token),
      section('For your shell:'),
      preformatted(lines),
      section(describeTokenScope(issued)),
      issued.isRestricted === false && markup(UNRESTRICTED),
      sealed !== undefined && actions(revokeButton('Revoke now')),
      context(
        'Copy it now: only you see it, only once, and Tally doesn’t keep it.',
        ...(sealed === undefined ? [NOT_OFFERED] : []),
      ),
    ]),
  });
}

const revokeButton = (label: string) => button('os-token-revoke', label, { style: 'danger' });

const NOT_OFFERED = 'The service can’t revoke tokens. This one works until it expires.';
const REVOCATIONS: Readonly<Record<Revocation, string>> = {
  revoked: 'Revoked.',
  'already-dead': 'The token had already expired or been revoked.',
  'not-offered': NOT_OFFERED,
  refused: 'The service refused to revoke the token (HTTP 401). The token may still work.',
};

/** People can revoke their token even if they can't get tokens any more. @param metadata untrusted */
async function revokeToken(metadata: string, request: Request, services: TokenServices): Promise<void> {
  const { identity, keyring } = services;
  const { user, reply } = request;
  const shown = openToken(metadata, user, keyring);
  if (shown === undefined)
    return reply.modal.show(TITLE, textMessage('You can’t revoke this token: it isn’t yours.'));
  const { token, authUrl, project } = shown;
  if (!(await isFirstUse(`revoke ${metadata}`, request, services))) return;
  await reply.modal.update(modal({ title: TITLE, blocks: [section('Revoking the token…')] }));
  const outcome = await identity.revoke(authUrl, token, tenantOf(project, request)).catch(failureOf);
  if (outcome === 'revoked' || outcome === 'already-dead')
    await recordToken(REVOKED, project, request, services).catch(request.recordError);
  const message = isFailure(outcome) ? failedRevocation(outcome, request) : textMessage(REVOCATIONS[outcome]);
  const mayWork = isFailure(outcome) || outcome === 'refused';
  const retry = mayWork ? [actions(revokeButton('Revoke'))] : [];
  await reply.modal.update(
    modal({
      title: TITLE,
      ...(mayWork && { metadata: sealToken(shown, user, keyring) }),
      blocks: [...message.blocks, ...retry],
    }),
    message,
  );
}

function failedRevocation(failure: Failure, request: Request): Message {
  request.recordError(failure);
  const { text, blocks } = failureMessage(failure, request);
  const state = 'The token may still work until it expires.';
  return { text: `${text} ${state}`, blocks: [...withoutActions(blocks), section(state)] };
}
