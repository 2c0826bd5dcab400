import type { Button, ModalView } from '@slack/types';
import type { IssuedToken } from '../../identity/client.ts';
import {
  actions,
  type Block,
  button,
  context,
  type Message,
  markup,
  preformatted,
  section,
} from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import { type Rerun, rerunButton } from '../../slack/rerun.ts';
import { clockTime, span } from './lapse.ts';

export const CONFIRM = 'os-token';
const TITLE = 'OS_TOKEN';

/** @param metadata what the modal carries: handles, and a token encrypted whose key it does not have */
const window = (blocks: readonly Block[], metadata = ''): ModalView =>
  modal({ title: TITLE, metadata, blocks });

export const issuing = (label: string): ModalView =>
  window([section(`Issuing a token for ${label}…`), context('It appears here, on your screen only.')]);

export const givingBack: ModalView = window([section('Giving the token back…')]);

export const waiting: ModalView = window([section('Issuing a token…')]);

/** Before the first token in front of others. @param carried the handle of what is asked for */
export const confirmation = (label: string, carried: string): ModalView =>
  modal({
    callback: CONFIRM,
    metadata: carried,
    title: TITLE,
    submit: 'Continue',
    close: 'Cancel',
    blocks: [
      section(
        `The token for ${label} appears on your screen only. Nobody else in the channel sees it, and nothing is posted.`,
      ),
      section(
        'Whoever has it acts in the project as the access does: do not paste it into a conversation, and mind who sees your screen.',
      ),
      context('You are asked this once.'),
    ],
  });

export interface Shown {
  readonly label: string;
  readonly issued: IssuedToken;
  /** Ready for a shell. */
  readonly lines: string;
  /** The service that `OS_ENDPOINT` is of. */
  readonly endpoint: 'compute' | 'identity';
  /** ms */
  readonly now: number;
  /** The reader's. */
  readonly zone: string;
  /** Whether it can be given back from this window. */
  readonly revocation: 'here' | 'too-long' | 'not-offered';
}

/** The token, once. It stands alone in its block, so that it can be selected in one piece. */
export function tokenModal(shown: Shown, carried: string): ModalView {
  const { label, issued, lines, revocation } = shown;
  return window(
    [
      section(`Your temporary key to the cloud platform’s API, for ${label}. ${lapse(shown)}`),
      preformatted(issued.token),
      section(`The same for a shell, ready to paste. ${ENDPOINT[shown.endpoint]}`),
      preformatted(lines),
      section(belongs(issued)),
      ...(issued.credential?.restricted === false ? [markup(UNRESTRICTED)] : []),
      actions(...(revocation === 'here' ? [revokeButton('Revoke now')] : []), anotherButton('Issue another')),
      context(
        'Shown once, to you alone. Tally does not keep it: when this window is closed, it is gone from here.',
        ...(revocation === 'here' ? [] : [NO_REVOCATION[revocation]]),
      ),
    ],
    carried,
  );
}

const ENDPOINT = {
  compute: 'OS_ENDPOINT is that of compute:',
  identity: 'The service told no address of compute, so OS_ENDPOINT is that of identity:',
} as const;

function lapse({ issued: { expiresAt }, now, zone }: Shown): string {
  if (expiresAt === undefined) return 'The service does not tell when it lapses.';
  return `It lapses at ${clockTime(expiresAt, zone)}, in ${span(expiresAt - now)}.`;
}

/** Whose it is, as the service tells it. */
export function belongs({ project, roles, user }: IssuedToken): string {
  const named = project?.name ?? project?.id;
  const also = project?.name !== undefined && project.id !== undefined ? ` (${project.id})` : '';
  const domain = project?.domain === undefined ? '' : ` in ${project.domain}`;
  return [
    named === undefined ? 'The service does not name the project' : `Project ${named}${also}${domain}`,
    roles.length === 0 ? 'roles not told' : `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`,
    ...(user === undefined ? [] : [`acts as ${user}`]),
  ].join(' · ');
}

const UNRESTRICTED =
  '*This access is unrestricted:* whoever has the token can make further accesses with it, which outlive it. In the console, replace the access by a restricted one.';
const NO_REVOCATION = {
  'not-offered': 'The service does not take tokens back: it lives until it lapses.',
  'too-long': 'The token is too long to be given back from this window: it lives until it lapses.',
} as const;

const revokeButton = (label: string): Button => button('os-token-revoke', label, { style: 'danger' });
export const anotherButton = (label: string): Button => button('os-token-another', label);

/** What became of a token that was to be given back. */
export type Outcome = 'dead' | 'alive' | 'unchecked' | 'already-dead' | 'not-offered';

/** @param until when it lapses, in words; undefined where the service did not tell */
const livesUntil = (until: string | undefined): string =>
  until === undefined ? 'It lives until it lapses.' : `It lives until ${until}.`;

export interface Revoked {
  readonly outcome: Outcome;
  readonly until: string | undefined;
  readonly isAudited: boolean;
}

/** @param carried undefined where nothing can be kept for another token */
export function revokedModal({ outcome, until, isAudited }: Revoked, carried: string | undefined): ModalView {
  const lives = livesUntil(until);
  const said: Record<Outcome, string> = {
    dead: 'Revoked. The service confirms that it is no longer accepted.',
    alive: `The service said that it took the token back, and still accepts it. ${lives}`,
    unchecked: 'Revoked. Whether the service still accepts it could not be checked.',
    'already-dead': 'The service did not accept the token any more: it had lapsed, or was revoked before.',
    'not-offered': `The service does not take tokens back. ${lives}`,
  };
  return window(
    [
      section(said[outcome]),
      ...(isAudited ? [] : [section('Tally could not write that into its audit.')]),
      ...(carried === undefined ? [] : [actions(anotherButton('Issue another'))]),
    ],
    carried,
  );
}

/** Where nothing can be kept by which it could be tried again. */
export const stuckModal = (said: readonly Block[], until: string | undefined): ModalView =>
  window([...said, section(`The token cannot be given back from here any more. ${livesUntil(until)}`)]);

export const usedModal = (word: string | undefined): ModalView =>
  window([
    section('This window has been used, or its token has lapsed. Nothing was done.'),
    ...(word === undefined ? [] : [context(`For another token, type \`/os-token ${word}\`.`)]),
  ]);

/** @param said what happened and what to do; @param earlier whether an earlier token can still be given back */
export const sorryModal = (
  said: readonly Block[],
  buttons: readonly Button[],
  earlier: boolean,
  carried: string,
): ModalView => {
  const all = [...buttons, ...(earlier ? [revokeButton('Revoke the earlier one')] : [])];
  return window(
    [
      ...said,
      ...(all.length > 0 ? [actions(...all)] : []),
      ...(earlier ? [context('The token that was shown before may still live.')] : []),
    ],
    carried,
  );
};

/** Where nothing but a message is possible, there is no token: a message would be kept by Slack. */
export function goElsewhere(word: string | undefined, rerun: Rerun): Message {
  const typed = ['/os-token', word].filter(Boolean).join(' ');
  const text = `A token is never sent in a message. Type ${typed} in the message field of a channel, or press the button: it then appears in a window, on your screen only.`;
  return {
    text,
    blocks: [section(text), actions(...rerunButton('form', 'Open the window…', rerun, { style: 'primary' }))],
  };
}

/** Where the window was closed meanwhile, or Slack did not draw it. */
export function lostMessage({ label, word }: { label: string; word: string }, isWithdrawn: boolean): Message {
  const what = `The token for ${label} could not be shown: the window was closed, or Slack did not take it.`;
  const since = isWithdrawn
    ? 'So it was given back at once.'
    : 'It could not be given back either: nobody has seen it, and it lives until it lapses.';
  const text = `${what} ${since} For another one, type /os-token ${word}.`;
  return { text, blocks: [section(text)] };
}

export const lostModal = ({ blocks }: Message): ModalView => window(blocks);
