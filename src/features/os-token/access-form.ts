import type { ModalView } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { IssuedToken } from '../../identity/client.ts';
import { FIELDS } from '../../redis/keys.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { expiryInputs } from '../../slack/commands/expiry-input.ts';
import { type GroupChoices, groupsInput } from '../../slack/commands/user-group-picker.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  confirmDialog,
  context,
  escapeMarkup,
  header,
  joinTexts,
  markup,
  mention,
  section,
} from '../../slack/kit/blocks.ts';
import { peopleInput, textInput } from '../../slack/kit/inputs.ts';
import { modal, waitingModal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ApplicationAccessRecord,
  describeAccess,
  type Issuers,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
} from '../../workspace/credentials/access-record.ts';
import { isExpiryUnknown } from '../../workspace/credentials/expiry.ts';
import type { Role } from '../../workspace/permissions.ts';
import { stampOf } from '../../workspace/record/change.ts';
import { describeTokenScope } from './blocks.ts';
import { formatClockTime, formatTimeLeft } from './modal-tokens.ts';
import { type AccessRequest, accessProjectLabel } from './parse-access-form.ts';

export const ACCESS_VIEW = 'access-form';
export const ACCESS_TITLE = 'Application access';

interface AccessForm extends Pick<AccessRequest, 'project' | 'issuers' | 'expiry'> {
  readonly authUrl: string | undefined;
  readonly groups: GroupChoices;
}

/** The form. ID and secret are never filled in, because they may have been swapped. */
export function accessForm(form: AccessForm, request: Request): ModalView {
  const { project, authUrl, issuers, groups } = form;
  const { workspace } = request;
  const { label } = accessProjectLabel(workspace, project);
  const stays = workspace.accesses.has(project);
  const keeps = stays ? ' Leave ID and secret empty to keep the current ones.' : '';
  return modal({
    callback: ACCESS_VIEW,
    metadata: `${project} ${stampOf(workspace, FIELDS.access + project)}`,
    title: ACCESS_TITLE,
    submit: 'Test and save',
    blocks: [
      section(
        `Tally uses this access to issue temporary OS_TOKENs for ${label} to the people you choose below.${keeps}`,
      ),
      ...(workspace.accessIds.includes(project) ? currentBlocks(project, label, request) : []),
      textInput({
        block: 'authUrl',
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
        hint: 'The console shows it once. Tally encrypts it and never shows it again.',
        max: 3000,
        optional: stays,
      }),
      ...expiryInputs(
        `If you know it.${stays ? ' Leave it empty to keep what is registered.' : ''}`,
        form.expiry,
      ),
      peopleInput({
        block: 'people',
        label: 'People who can get tokens',
        hint: `Only these people get tokens. Add owners and managers too if they need them. Guests need to be turned on in ${commandText('/billing settings')} too.`,
        initial: issuers.people,
        max: MAX_ISSUERS,
      }),
      ...groupsInput(
        {
          block: 'groups',
          action: 'issuerGroups',
          label: 'User groups that can get tokens',
          hint: 'Everyone in these groups.',
          max: MAX_ISSUER_GROUPS,
        },
        issuers.groups,
        groups,
      ),
    ],
  });
}

function currentBlocks(project: string, label: string, { workspace, at }: Request): Block[] {
  const current = workspace.accesses.get(project);
  const words =
    current === undefined
      ? 'The current access is damaged and not used. Enter ID and secret again to repair it.'
      : `Current: ${describeAccess(current, at, workspace.settings.zone)}. Tally tests a new access before it replaces this one.`;
  const ask = confirmDialog(
    `Remove the access for ${label}?`,
    'Nobody will be able to get new tokens. Existing tokens work until they expire.',
    'Remove',
    'Keep',
  );
  return [
    section(words),
    actions(button('access-remove', 'Remove this access', { style: 'danger', value: project, confirm: ask })),
  ];
}

export const testingModal: ModalView = waitingModal(
  ACCESS_TITLE,
  'Testing: Tally is getting a token and revoking it…',
  context('You can close this window. Tally then sends you the result as a direct message.'),
);

/** What became of the token that the test issued. */
export type RevocationResult = 'revoked' | 'not-offered' | 'failed';

export const REVOCATION_TEXTS: Record<RevocationResult, string> = {
  revoked: 'The test passed: the service issued a token and revoked it.',
  'not-offered':
    'The test passed: the service issued a token. The service can’t revoke tokens, so this one works until it expires. Nobody has seen it.',
  failed:
    'The test passed: the service issued a token. Revoking it failed, so it may work until it expires. Nobody has seen it.',
};

/** Someone who was chosen as an issuer but can't get tokens yet. */
export interface IneligibleIssuer {
  readonly person: SlackId;
  readonly role: Role;
}

/** A token that was issued to test an access, and what became of it. */
export interface AccessTest {
  readonly issued: IssuedToken;
  readonly revocation: RevocationResult;
}

/** @param isIssuer whether the person who registered it can get tokens */
export function registeredBlocks(
  access: ApplicationAccessRecord,
  { issued, revocation }: AccessTest,
  isIssuer: boolean,
  ineligible: readonly IneligibleIssuer[],
  { workspace, at }: Request,
): Block[] {
  const { zone } = workspace.settings;
  const { label, word } = accessProjectLabel(workspace, access.project);
  const { name, restricted } = access;
  const described = [
    describeAccess(access, at, zone),
    name !== undefined && `named ${name}`,
    restricted && 'restricted',
  ].filter(Boolean);
  const isUnknown = isExpiryUnknown(access);
  const buttons = compact([
    ...(isIssuer ? commandButton('os-token', 'Issue a token', { command: '/os-token', text: word }) : []),
    isUnknown && button('access-form', 'Set expiry…', { value: access.project }),
  ]);
  return compact([
    header(`${label} can issue OS_TOKENs`),
    section(REVOCATION_TEXTS[revocation]),
    section([described.join(' · '), describeTokenScope(issued)].join('\n')),
    restricted === false &&
      markup(
        '*This access is unrestricted.* Anyone with one of its tokens can create more accesses that outlive it. Create a restricted access in the console and register that instead.',
      ),
    isUnknown &&
      isShort(issued, at) &&
      section(
        `The test token expires at ${formatClockTime(issued.expiresAt, zone)}, ${formatTimeLeft(issued.expiresAt - at)}. If tokens usually last longer, the access itself expires then. Create one that lasts longer in the console and register that.`,
      ),
    isUnknown &&
      section('Expiry unknown: the service doesn’t say. Set it to be reminded before the access expires.'),
    markup(issuersText(access.issuers, ineligible)),
    ...buttonRow(buttons),
  ]);
}

/** Tokens last an hour as a rule, and no longer than the access they come from; in ms, a minute less for clocks. */
const USUAL = 59 * MINUTE;

const isShort = (issued: IssuedToken, at: Millis): issued is IssuedToken & { readonly expiresAt: Millis } =>
  issued.expiresAt !== undefined && issued.expiresAt - at < USUAL;

const SHOWN = 20;

const mentionGroup = (id: string): string => `<!subteam^${escapeMarkup(id)}>`;

export function issuersText({ people, groups }: Issuers, ineligible: readonly IneligibleIssuer[]): string {
  const named = [...people.map(mention), ...groups.map(mentionGroup)];
  const without = ineligible.map(({ person, role }) => `${mention(person)} (${IS[role]})`);
  return joinTexts('\n', [
    `Can get tokens: ${formatList(named)}`,
    without.length > 0 && `*Can’t get tokens yet:* ${formatList(without)}`,
  ]);
}

const IS: Readonly<Record<Role, string>> = {
  admin: 'an admin',
  member: 'a member',
  guest: `guests are turned off in ${commandText('/billing settings')}`,
  external: 'external',
  nobody: 'has left, or is an app',
};

function formatList(all: readonly string[]): string {
  const more = all.length - SHOWN;
  return `${all.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
