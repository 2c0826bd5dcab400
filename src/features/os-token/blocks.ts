import type { Button, ConfirmationDialog, ModalView, SectionBlock } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import type { IssuedToken } from '../../identity/client.ts';
import type { Command } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { AUDIT_NOTES } from '../../slack/error-messages/service.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  confirmDialog,
  context,
  joinTexts,
  type Message,
  markup,
  preformatted,
  section,
  textMessage,
} from '../../slack/kit/blocks.ts';
import { modal } from '../../slack/kit/modal.ts';
import { grantHandle } from '../../workspace/short-lived/token-grants.ts';
import type { AuditState } from './audit.ts';
import {
  canRevoke,
  formatClockTime,
  formatTimeLeft,
  formatUntil,
  liveTokens,
  type ModalToken,
  serializeModalTokens,
  type Tokens,
} from './modal-tokens.ts';
import { type RevokeOutcome, readerZone, type TokenContext } from './token-request.ts';

export const CONFIRM_VIEW = 'os-token';
const TITLE = 'OS_TOKEN';

/** @param tokens the tokens in the modal's metadata: handles, and encrypted tokens without their keys */
const createWindow = (blocks: readonly Block[], tokens: Tokens = []): ModalView =>
  modal({ title: TITLE, metadata: serializeModalTokens(tokens), blocks });

/** A window that says something and lists its tokens, each with a button to revoke it. */
export const tokenWindow = (
  said: readonly Block[],
  tokens: Tokens,
  shownIn: TokenContext,
  ...buttons: readonly Button[]
): ModalView => createWindow([...said, ...buttonRow(buttons), ...rowsOf(tokens, shownIn)], tokens);

/** Shows it in the open modal, or only as a message if the modal was closed. */
export const showInWindow = (
  message: Message,
  tokens: Tokens,
  shownIn: TokenContext,
  ...buttons: readonly Button[]
): Promise<void> =>
  shownIn.request.reply.modal.update(tokenWindow(message.blocks, tokens, shownIn, ...buttons), message);

/** The tokens that a modal can still revoke, or at least lists. @param beside whether it also shows a newer token */
function rowsOf(tokens: Tokens, { clock, request }: TokenContext, beside = false): SectionBlock[] {
  const which = beside ? 'An earlier token' : 'A token';
  const revoke = beside ? 'Revoke earlier token' : 'Revoke';
  const copyFirst = beside
    ? confirmDialog('Revoke the earlier token?', COPY_FIRST, 'Revoke', 'Cancel')
    : undefined;
  return liveTokens(tokens, clock()).map((token) => {
    const works = `${which} from this window may still work ${formatUntil(token.expires, readerZone(request))}.`;
    return canRevoke(token)
      ? { ...section(works), accessory: revokeButton(revoke, token, copyFirst) }
      : section(`${works} It can’t be revoked from here.`);
  });
}

const COPY_FIRST = 'The result replaces the newer token in this window. Copy that token first.';

export const issuingModal = (label: string): ModalView =>
  createWindow([section(`Issuing a token for ${label}…`), context('It appears here. Only you see it.')]);

export const revokingModal: ModalView = createWindow([section('Revoking the token…')]);

/** Shown if the button was pressed twice, or an earlier click was lost. */
export const BUSY = section(
  'Tally is still working on your last click. If nothing happens, try again in 30 seconds.',
);
export const ALREADY_USED = section(
  'This window was already used, or its token has expired. Nothing was changed.',
);

export const waitingTokenModal: ModalView = createWindow([section('Issuing a token…')]);

/** Asks before the first token in a channel, where others may see the screen. @param handle the grant's */
export const confirmIssueModal = (label: string, handle: string): ModalView =>
  modal({
    callback: CONFIRM_VIEW,
    metadata: handle,
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

interface ShownToken {
  readonly label: string;
  /** The project as a command names it. */
  readonly word: string;
  readonly issued: IssuedToken;
  readonly lines: string;
  /** The service whose endpoint `OS_ENDPOINT` is. */
  readonly endpoint: 'compute' | 'identity';
  /** Whether it can be revoked from this modal. */
  readonly revocation: 'here' | 'too-long' | 'not-offered';
}

/** Shows the first of `tokens` alone in its block, so that it can be selected as a whole. */
export function tokenModal(shown: ShownToken, tokens: Tokens, shownIn: TokenContext): ModalView {
  const { label, word, issued, lines, endpoint, revocation } = shown;
  const [own, ...earlier] = tokens;
  const revoke = revocation === 'here' && own !== undefined ? [revokeButton('Revoke now', own)] : [];
  const expiry = expiryText(issued, shownIn);
  return createWindow(
    compact([
      section(`OS_TOKEN for ${label}: a temporary key to the cloud platform’s API. ${expiry}`),
      preformatted(issued.token),
      section(`For your shell, ready to paste. ${ENDPOINT[endpoint]}`),
      preformatted(lines),
      section(describeTokenScope(issued)),
      issued.credential?.restricted === false && markup(UNRESTRICTED),
      actions(...revoke, anotherButton('Issue another', word)),
      ...rowsOf(earlier, shownIn, true),
      context(
        'Only you see this token, and only once. Tally doesn’t keep it. Copy it before you close this window.',
        ...(revocation === 'here' ? [] : [NO_REVOCATION[revocation]]),
      ),
    ]),
    tokens,
  );
}

const ENDPOINT = {
  compute: 'OS_ENDPOINT is the compute endpoint:',
  identity: 'The service sent no compute endpoint, so OS_ENDPOINT is the identity endpoint:',
} as const;

function expiryText({ expiresAt }: IssuedToken, { clock, request }: TokenContext): string {
  if (expiresAt === undefined) return 'The service doesn’t say when it expires.';
  const when = formatClockTime(expiresAt, readerZone(request));
  return `It expires at ${when}, ${formatTimeLeft(expiresAt - clock())}.`;
}

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

const UNRESTRICTED =
  '*This access is unrestricted.* Anyone with this token can create more accesses that outlive it. Ask a Tally manager to register a restricted one.';
const NO_REVOCATION = {
  'not-offered': 'The service can’t revoke tokens. This one works until it expires.',
  'too-long': 'The token is too long to revoke from this window. It works until it expires.',
} as const;

const revokeButton = (label: string, { grantText }: ModalToken, confirm?: ConfirmationDialog): Button =>
  button('os-token-revoke', label, {
    style: 'danger',
    value: grantHandle(grantText),
    ...(confirm && { confirm }),
  });

/** @param word the project, for a button to issue a new token when the modal's grants have expired */
export const anotherButton = (label: string, word: string): Button =>
  button('os-token-another', label, { value: word });

/** A warning if the audit lacks an entry, or may lack it. */
export const auditBlocks = (audit: AuditState): Block[] => {
  const note = AUDIT_NOTES[audit];
  return note === undefined ? [] : [section(note)];
};

/**
 * What happened, for the window and for the message that takes its place when it was closed.
 * @param until when the token expires, as text from `formatUntil`
 */
export function revokedMessage(outcome: RevokeOutcome, until: string, audit: AuditState): Message {
  const said: Record<RevokeOutcome, string> = {
    dead: 'Revoked. The service confirms that it is no longer accepted.',
    alive: `The service says that it revoked the token, but still accepts it. It works ${until}.`,
    unchecked: 'Revoked. Tally couldn’t check that the service no longer accepts it.',
    'already-dead': 'The service no longer accepts the token: it had expired, or was revoked before.',
    'not-offered': `The service can’t revoke tokens. The token works ${until}.`,
    refused: `The service refused to revoke the token (HTTP 401). It may still work ${until}.`,
  };
  return textMessage(said[outcome], ...auditBlocks(audit));
}

/** What is said after a failed revocation. @param until when the token expires, as text from `formatUntil` */
export const notRevokedText = (isUnclear: boolean, until: string): string =>
  isUnclear
    ? `The service may have revoked the token. If it didn’t, the token works ${until}.`
    : `The token wasn’t revoked. It works ${until}.`;

/** Shown when only a message is possible. Tokens are never sent in messages, because Slack keeps them. */
export function slashCommandOnlyMessage(word: string | undefined, rerun: Command): Message {
  const typed = [commandText('/os-token'), word].filter(Boolean).join(' ');
  const text = `Tally never sends a token in a message. Open a window instead, or type ${typed} in a channel. Only you will see the token.`;
  return textMessage(
    text,
    actions(...commandButton('form', 'Open the window…', rerun, { style: 'primary' })),
  );
}
