import type { ModalView } from '@slack/types';
import type { IssuedToken } from '../../identity/client.ts';
import { commandButton } from '../../slack/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  confirmDialog,
  context,
  header,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup, mention } from '../../slack/kit/escape.ts';
import { modal, peopleInput, textInput } from '../../slack/kit/modal.ts';
import { type GroupChoices, groupsInput } from '../../slack/user-groups.ts';
import {
  type ApplicationAccessRecord,
  describeAccess,
  type Issuers,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
} from '../../workspace/accesses.ts';
import type { Role } from '../../workspace/permissions.ts';
import { belongsToModal } from './blocks.ts';
import { formatClockTime, formatDuration } from './expiry.ts';
import type { IneligibleIssuers } from './ineligible.ts';

export const ACCESS_VIEW = 'access';
const TITLE = 'Application access';

export interface AccessForm {
  readonly project: string;
  readonly label: string;
  /** What is registered now; `damaged` where it cannot be read. */
  readonly current: ApplicationAccessRecord | 'damaged' | undefined;
  readonly authUrl: string | undefined;
  readonly issuers: Issuers;
  readonly groups: GroupChoices;
  readonly at: number;
  readonly zone: string;
}

/** The form. ID and secret are never filled in: somebody may have pasted one in the place of the other. */
export function accessForm(form: AccessForm): ModalView {
  const { project, label, current, authUrl, issuers, groups } = form;
  const stays = current !== undefined && current !== 'damaged';
  const keeps = stays ? ' Leave ID and secret empty to keep those that are registered.' : '';
  return modal({
    callback: ACCESS_VIEW,
    metadata: project,
    title: TITLE,
    submit: 'Test and save',
    close: 'Cancel',
    blocks: [
      section(`For ${label}: with it Tally issues temporary OS_TOKENs to the people named below.${keeps}`),
      ...(current === undefined ? [] : beside(form)),
      textInput({
        block: 'auth_url',
        label: 'Address of the identity service',
        hint: 'In the console: API endpoints, under identity. It ends with /v3.',
        placeholder: 'https://identity.example.com/v3',
        initial: authUrl,
        max: 500,
      }),
      textInput({
        block: 'access_id',
        label: 'Access ID',
        hint: 'In the console: Cloud servers → your project → Access for applications.',
        max: 255,
        optional: stays,
      }),
      textInput({
        block: 'secret',
        label: 'Secret key',
        hint: 'Shown in the console once. Slack shows it while you type; Tally seals it and never shows it again.',
        max: 3000,
        optional: stays,
      }),
      peopleInput({
        block: 'people',
        label: 'People who may have tokens issued',
        hint: 'Only those named, managers and owners too. Guests have to be let in by the settings as well.',
        initial: issuers.people,
        max: MAX_ISSUERS,
      }),
      ...groupsInput(
        {
          block: 'groups',
          action: 'issuerGroups',
          label: 'User groups who may have tokens issued',
          hint: 'Everybody in the group, as it is at the time.',
          max: MAX_ISSUER_GROUPS,
        },
        issuers.groups,
        groups,
      ),
    ],
  });
}

function beside({ current, project, label, at, zone }: AccessForm): Block[] {
  const words =
    current === 'damaged' || current === undefined
      ? 'The registered access is damaged and not used. Registering it anew mends it.'
      : `Registered: ${describeAccess(current, at, zone)}. A new one takes its place once it has passed the test.`;
  const ask = confirmDialog(
    `Remove the access of ${label}?`,
    'Nobody can have tokens issued for it then. Tokens issued before live until they lapse.',
    'Remove',
    'Keep',
  );
  return [
    section(words),
    actions(button('access-remove', 'Remove this access', { style: 'danger', value: project, confirm: ask })),
  ];
}

export const testingModal: ModalView = modal({
  title: TITLE,
  blocks: [
    section('Testing… Tally has a token issued with it, and gives that one back.'),
    context('You can close this window: the result then comes as a direct message.'),
  ],
});

export const accessSavedText = (blocks: readonly Block[]): ModalView => modal({ title: TITLE, blocks });

/** What became of the token of the test. */
export type RevocationResult = 'revoked' | 'not-offered' | 'failed';

const TESTED: Record<RevocationResult, string> = {
  revoked: 'Tested: the service issued a token, and took it back.',
  'not-offered':
    'Tested: the service issued a token. It does not take tokens back, so that one lives until it lapses; nobody has seen it.',
  failed:
    'Tested: the service issued a token. Giving it back failed, so that one lives until it lapses; nobody has seen it.',
};

export interface RegisteredAccess {
  readonly label: string;
  readonly word: string;
  readonly access: ApplicationAccessRecord;
  readonly issued: IssuedToken;
  readonly givenBack: RevocationResult;
  readonly isIssuer: boolean;
  readonly excluded: readonly IneligibleIssuers[];
  readonly at: number;
  readonly zone: string;
}

export function registeredBlocks(registered: RegisteredAccess): Block[] {
  const { label, word, access, issued, givenBack, isIssuer, excluded, at, zone } = registered;
  const { name, restricted, lapsesAt } = access;
  const told = [
    describeAccess(access, at, zone),
    ...(name === undefined ? [] : [`named ${name}`]),
    ...(restricted === true ? ['restricted'] : []),
  ];
  return [
    header(`${label} can issue OS_TOKENs`),
    section(TESTED[givenBack]),
    section([told.join(' · '), belongsToModal(issued)].join('\n')),
    ...(restricted === false
      ? [
          markup(
            '*It is unrestricted:* whoever has a token of it can make further accesses that outlive it. Make a restricted one in the console, and register that instead.',
          ),
        ]
      : []),
    ...(lapsesAt === undefined
      ? [
          section(
            isShort(issued, at)
              ? `The token of the test would have expired at ${formatClockTime(issued.expiresAt, zone)}, in ${formatDuration(issued.expiresAt - at)}. If tokens usually last longer there, the access itself expires then: make one that lasts longer in the console, and register that.`
              : 'The service does not say when the access expires. You can set an expiry in the console.',
          ),
        ]
      : []),
    markup(issuersText(access.issuers, excluded)),
    ...(isIssuer
      ? [actions(...commandButton('os-token', 'Issue a token', { command: '/os-token', text: word }))]
      : []),
  ];
}

/** Tokens last an hour as a rule, and no longer than the access they come from; in ms, a minute less for clocks. */
const USUAL = 59 * 60_000;

const isShort = (issued: IssuedToken, at: number): issued is IssuedToken & { readonly expiresAt: number } =>
  issued.expiresAt !== undefined && issued.expiresAt - at < USUAL;

const SHOWN = 20;

export function issuersText({ people, groups }: Issuers, excluded: readonly IneligibleIssuers[]): string {
  const named = [...people.map(mention), ...groups.map((id) => `<!subteam^${escapeMarkup(id)}>`)];
  const without = excluded.map(({ person, standing }) => `${mention(person)} (${IS[standing]})`);
  return [
    `May have tokens issued: ${listed(named)}`,
    ...(without.length > 0 ? [`*Named, and gets none as things are:* ${listed(without)}`] : []),
  ].join('\n');
}

const IS: Readonly<Record<Role, string>> = {
  admin: 'an admin',
  member: 'a member',
  guest: 'a guest: /billing settings can let guests ask',
  stranger: 'of another organisation',
  nobody: 'has left, or is a program',
};

function listed(all: readonly string[]): string {
  const more = all.length - SHOWN;
  return `${all.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
