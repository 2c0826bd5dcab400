/** The window of `/os-token`: what it shows, and what it carries sealed, for the person who asks. */
import type { Button, ModalView } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { type DataOf, type Failure, isFailure } from '../../domain/failure/index.ts';
import {
  dayAt,
  formatDays,
  isTimeZone,
  MINUTE,
  type Millis,
  wallClockAt,
  type Zone,
} from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import type { IdentityClient, IssuedToken, Revocation } from '../../identity/client.ts';
import { findEndpoint, renderShellCommands } from '../../identity/shell-commands.ts';
import type { Command } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { AUDIT_NOTES } from '../../slack/error-messages/index.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  context,
  joinTexts,
  type Message,
  markup,
  preformatted,
  SLACK_LIMITS,
  section,
  textMessage,
  withoutActions,
} from '../../slack/kit/blocks.ts';
import { modal } from '../../slack/kit/modal.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ApplicationAccessRecord, OpenableAccess } from '../../workspace/credentials/access-record.ts';
import type {
  TokenQuota,
  TokenWindow,
  TokenWindows,
  WindowToken,
} from '../../workspace/credentials/issued-tokens.ts';
import type { EventDedup } from '../../workspace/replay-protection.ts';
import type { Services } from '../feature.ts';

/** One person's command, click or form, and what the feature answers it with. */
export interface TokenContext extends Services {
  readonly request: Request;
  readonly identity: IdentityClient;
  readonly windows: TokenWindows;
  readonly quota: TokenQuota;
  readonly dedup: EventDedup;
}

/** One person's request for a token of one project. */
export interface TokenRequest {
  readonly window: Omit<TokenWindow, 'token'>;
  readonly label: string;
  readonly access: OpenableAccess;
}

/** What became of a revocation, as far as the service says. */
export type RevokeOutcome = Exclude<Revocation, 'revoked'> | 'dead' | 'alive' | 'unchecked';

/** Whether something is in the audit; `maybe` when the answer to writing it was lost. */
export type AuditState = DataOf<'token-not-shown'>['audit'];

/** Whether the service may have issued a token although Tally has none. */
export const mayHaveIssued = ({ kind }: Failure): boolean =>
  ['outcome-unclear', 'invalid-response', 'response-too-large'].includes(kind);

/** Whether the service may have revoked a token although Tally got no confirmation. */
export const isRevocationUnclear = (failure: Failure): boolean =>
  ['service-unreachable', 'timed-out', 'invalid-response', 'response-too-large'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.data.status >= 500);

export const CONFIRM_VIEW = 'os-token';
const TITLE = 'OS_TOKEN';

const plainWindow = (...blocks: readonly Block[]): ModalView => modal({ title: TITLE, blocks });

export const issuingModal = (label: string): ModalView =>
  plainWindow(section(`Issuing a token for ${label}…`), context('It appears here. Only you see it.'));
export const revokingModal = plainWindow(section('Revoking the token…'));
export const waitingTokenModal = plainWindow(section('Issuing a token…'));

/** For a window that is forged, somebody else's or without a token to revoke. */
export const ALREADY_USED = section(
  'This window was already used, or its token has expired. Nothing was changed.',
);

/** The window's metadata, for the person who asks. */
const sealWindow = (window: TokenWindow, { request: { user }, windows }: TokenContext): string =>
  windows.seal(user.teamId, user.id, window);

/** @returns undefined for a window of somebody else, or a forged one */
export const openWindow = (metadata: string, { request, windows, clock }: TokenContext) =>
  windows.open(request.user.teamId, request.user.id, metadata, clock());

/** A window that says something, with a button to revoke its token if it has one. */
export function tokenWindow(
  said: readonly Block[],
  window: TokenWindow | undefined,
  shownIn: TokenContext,
  ...buttons: readonly Button[]
): ModalView {
  if (window === undefined) return plainWindow(...said);
  const { token } = window;
  const until = token && formatUntil(token.expiresAt, shownIn.request);
  const row = token && {
    ...section(`A token from this window may still work ${until}.`),
    accessory: revokeButton('Revoke'),
  };
  const blocks = compact([...said, ...buttonRow(buttons), row]);
  return modal({ title: TITLE, metadata: sealWindow(window, shownIn), blocks });
}

/** Shows it in the open modal, or only as a message if the modal was closed. */
export const showInWindow = (
  message: Message,
  window: TokenWindow,
  shownIn: TokenContext,
  ...buttons: readonly Button[]
): Promise<void> =>
  shownIn.request.reply.modal.update(tokenWindow(message.blocks, window, shownIn, ...buttons), message);

/** Asks before the first token in a channel, where others may see the screen. */
export const confirmIssueModal = ({ label, window }: TokenRequest, shownIn: TokenContext): ModalView =>
  modal({
    callback: CONFIRM_VIEW,
    metadata: sealWindow(window, shownIn),
    title: TITLE,
    submit: 'Continue',
    blocks: [
      section(`Only you will see the token for ${label}. Tally doesn’t post anything in the channel.`),
      section(
        'Anyone who has the token can act in the project. Don’t paste it into a conversation, and check who can see your screen.',
      ),
      context('Tally asks this only once.'),
    ],
  });

/** Shows the token alone in its block, so that it can be selected as a whole. @param window with the token */
export function issuedModal(
  { label, access }: TokenRequest,
  issued: IssuedToken,
  window: TokenWindow,
  shownIn: TokenContext,
): ModalView {
  const sealed = sealWindow(window, shownIn);
  const isOffered = access.revocable !== false;
  const isHere = isOffered && sealed.length <= SLACK_LIMITS.privateMetadata;
  const { service } = findEndpoint(issued.endpoints, access.authUrl);
  return modal({
    title: TITLE,
    ...(isHere && { metadata: sealed }),
    blocks: [
      section(
        `OS_TOKEN for ${label}: a temporary key to the cloud platform’s API. ${expiryText(issued.expiresAt, shownIn)}`,
      ),
      preformatted(issued.token),
      section(`For your shell, ready to paste. ${ENDPOINT[service]}`),
      preformatted(shellLines(issued, access)),
      section(describeTokenScope(issued)),
      issued.credential?.restricted === false && markup(UNRESTRICTED),
      isHere && actions(revokeButton('Revoke now')),
      context(
        'Only you see this token, and only once. Tally doesn’t keep it. Copy it before you close this window.',
        ...(isHere ? [] : [NO_REVOCATION[isOffered ? 'too-long' : 'not-offered']]),
      ),
    ],
  });
}

/** As many lines as Slack takes in one piece; the last ones are comments. The token is in them, so it fits if they do. */
export function shellLines(issued: IssuedToken, { authUrl }: ApplicationAccessRecord): string {
  const lines = [...renderShellCommands(issued, authUrl)];
  while (lines.join('\n').length > SLACK_LIMITS.section && lines.at(-1)?.startsWith('#')) lines.pop();
  return lines.join('\n');
}

const ENDPOINT = {
  compute: 'OS_ENDPOINT is the compute endpoint:',
  identity: 'The service sent no compute endpoint, so OS_ENDPOINT is the identity endpoint:',
} as const;

const UNRESTRICTED =
  '*This access is unrestricted.* Anyone with this token can create more accesses that outlive it. Ask a Tally manager to register a restricted one.';
const NO_REVOCATION = {
  'not-offered': 'The service can’t revoke tokens. This one works until it expires.',
  'too-long': 'The token is too long to revoke from this window. It works until it expires.',
} as const;

const revokeButton = (label: string): Button => button('os-token-revoke', label, { style: 'danger' });

/** Issues a token in the place of what the window shows. */
export const anotherButton = (label: string): Button => button('os-token-another', label);

/** The project, roles and user that the service names for a token. */
export function describeTokenScope({ project, roles, user }: IssuedToken): string {
  const named = project?.name ?? project?.id;
  const also = project?.name !== undefined && project.id !== undefined ? ` (${project.id})` : '';
  const domain = project?.domain === undefined ? '' : ` in ${project.domain}`;
  return joinTexts(' · ', [
    named === undefined ? 'The service doesn’t name the project' : `Project ${named}${also}${domain}`,
    roles.length === 0 ? 'no roles named' : `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`,
    user !== undefined && `acts as ${user}`,
  ]);
}

/** For an answer that Tally can't read: it may have brought a token. */
export const maybeIssuedBlocks = (failure: Failure): Block[] =>
  mayHaveIssued(failure) && failure.kind !== 'outcome-unclear'
    ? [section('It may have issued a token. Nobody has seen it, and it expires by itself.')]
    : [];

/** What somebody has to do about the access. */
const ACCESS_FAILURES: ReadonlySet<string> = new Set([
  ...['access-refused', 'access-not-found', 'project-disabled', 'access-missing', 'unseal-failed'],
  'wrong-identity-url',
]);

/** The buttons below a failure. Where the access is wrong, managers can replace it. */
export function remedies(failure: Failure, { project }: TokenWindow, canManage: boolean): Button[] {
  if (failure.kind === 'not-issuer' || failure.kind === 'not-allowed') return [];
  const isKeyGone = failure.kind === 'unseal-failed' && failure.data.reason !== 'malformed';
  const authUrl = failure.kind === 'wrong-identity-url' ? failure.data.suggestion : undefined;
  const value = joinTexts(' ', [project, authUrl]);
  return compact([
    canManage &&
      ACCESS_FAILURES.has(failure.kind) &&
      !isKeyGone &&
      button('access-form', 'Replace access…', { value, style: 'primary' }),
    anotherButton('Try again'),
  ]);
}

/** A warning if the audit lacks an entry, or may lack it. */
export const auditBlocks = (audit: AuditState): Block[] => {
  const note = AUDIT_NOTES[audit];
  return note === undefined ? [] : [section(note)];
};

const REVOKE_TEXTS: Readonly<Record<RevokeOutcome, (until: string) => string>> = {
  dead: () => 'Revoked. The service confirms that it is no longer accepted.',
  alive: (until) => `The service says that it revoked the token, but still accepts it. It works ${until}.`,
  unchecked: () => 'Revoked. Tally couldn’t check that the service no longer accepts it.',
  'already-dead': () => 'The service no longer accepts the token: it had expired, or was revoked before.',
  'not-offered': (until) => `The service can’t revoke tokens. The token works ${until}.`,
  refused: (until) => `The service refused to revoke the token (HTTP 401). It may still work ${until}.`,
};

/** What became of a revocation, for the window and for the message that takes its place when it was closed. */
export function revocationMessage(
  outcome: RevokeOutcome | Failure,
  { expiresAt }: WindowToken,
  audit: AuditState,
  request: Request,
): Message {
  const until = formatUntil(expiresAt, request);
  const added = auditBlocks(audit);
  if (!isFailure(outcome)) return textMessage(REVOKE_TEXTS[outcome](until), ...added);
  const { text, blocks } = failureMessage(outcome, request);
  const state = isRevocationUnclear(outcome)
    ? `The service may have revoked the token. If it didn’t, the token works ${until}.`
    : `The token wasn’t revoked. It works ${until}.`;
  return { text: `${text} ${state}`, blocks: [...withoutActions(blocks), section(state), ...added] };
}

/** Shown when only a message is possible. Tokens are never sent in messages, because Slack keeps them. */
export function slashCommandOnlyMessage(word: string | undefined, rerun: Command): Message {
  const typed = [commandText('/os-token'), word].filter(Boolean).join(' ');
  const text = `Tally never sends a token in a message. Open a window instead, or type ${typed} in a channel. Only you will see the token.`;
  return textMessage(
    text,
    actions(...commandButton('form', 'Open the window…', rerun, { style: 'primary' })),
  );
}

/** The reader's own zone, or the workspace's if Slack's can't be used. */
const readerZone = ({ user, workspace }: Request): Zone =>
  user.zone !== undefined && isTimeZone(user.zone) ? user.zone : workspace.settings.zone;

const expiryText = (expiresAt: Millis | undefined, { clock, request }: TokenContext): string =>
  expiresAt === undefined
    ? 'The service doesn’t say when it expires.'
    : `It expires at ${formatExpiryTime(expiresAt, clock(), readerZone(request))}.`;

/** `until 11:15 on Sat 21 Nov 2026 (Europe/Berlin)`, or `until it expires` */
export const formatUntil = (expiresAt: Millis | undefined, request: Request): string =>
  `until ${expiresAt === undefined ? 'it expires' : formatClockTime(expiresAt, readerZone(request))}`;

/** `11:15 on Sat 21 Nov 2026 (Europe/Berlin)` */
function formatClockTime(ms: Millis, zone: Zone): string {
  const day = dayAt(ms, zone);
  return `${wallClockAt(ms, zone).time} on ${formatDays(day, day)} (${zone})`;
}

/** `11:15 on Sat 21 Nov 2026 (Europe/Berlin), in 1 hour`; a clock may be wrong, the service’s or Tally’s. */
export const formatExpiryTime = (expiresAt: Millis, at: Millis, zone: Zone): string =>
  `${formatClockTime(expiresAt, zone)}, ${expiresAt > at ? `in ${formatDuration(expiresAt - at)}` : 'which is past by Tally’s clock'}`;

/** `1 hour`, `19 minutes`, `2 hours 5 minutes`, `3 days` */
function formatDuration(ms: Millis): string {
  const minutes = Math.round(ms / MINUTE);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (minutes === 0) return 'less than a minute';
  if (hours >= 48) return pluralize(Math.floor(hours / 24), 'day');
  return joinTexts(' ', [hours > 0 && pluralize(hours, 'hour'), rest > 0 && pluralize(rest, 'minute')]);
}
