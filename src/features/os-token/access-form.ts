import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/nearest-word.ts';
import { isProjectId } from '../../domain/product.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type ExpiryChoice,
  expiryInputs,
  isExpiryChoice,
  parseExpiryChoice,
} from '../../slack/commands/expiry-input.ts';
import { type GroupChoices, groupsInput } from '../../slack/commands/user-group-picker.ts';
import {
  actions,
  type Block,
  button,
  confirmDialog,
  context,
  SLACK_LIMITS,
  section,
} from '../../slack/kit/blocks.ts';
import { peopleInput, textInput } from '../../slack/kit/inputs.ts';
import { modal, waitingModal } from '../../slack/kit/modal.ts';
import {
  type FormFields,
  type ParsedForm,
  parseField,
  selectedValues,
} from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  describeAccess,
  type Issuers,
  isIssuers,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
} from '../../workspace/credentials/access-record.ts';
import { stampOf } from '../../workspace/record/change.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { findProject, type Workspace } from '../../workspace/record/workspace.ts';
import { accessProjectLabel } from './token-request.ts';

export const ACCESS_VIEW = 'access-form';
export const ACCESS_TITLE = 'Application access';

/** @param filled in ID and secret never are, because they may have been swapped */
export function accessForm(
  { project, authUrl, issuers, expiry }: AccessFormDefaults & { readonly issuers: Issuers },
  groups: GroupChoices,
  request: Request,
): ModalView {
  const { workspace } = request;
  const { label } = accessProjectLabel(workspace, project);
  const stays = workspace.accesses.has(project);
  const keeps = stays ? ' Leave ID and secret empty to keep the current ones.' : '';
  return modal({
    callback: ACCESS_VIEW,
    metadata: [project, stampOf(workspace, FIELDS.access + project), randomUUID()].join(' '),
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
      ...expiryInputs(`If you know it.${stays ? ' Leave it empty to keep what is registered.' : ''}`, expiry),
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

/** What the form of an application access says, once every field is right. */
export interface AccessRequest {
  readonly project: string;
  readonly authUrl: string;
  /** Undefined to keep the registered ID and secret. */
  readonly credentials: { readonly id: string; readonly secret: string } | undefined;
  readonly issuers: Issuers;
  /** Undefined if the form says nothing about it. */
  readonly expiry: ExpiryChoice | undefined;
  /** The stamp of the record that the form showed. */
  readonly stamp: string;
  /** Tells this form from others. */
  readonly form: string;
}

const ID = /^[\x21-\x7e]{1,255}$/;

/** The identity API's own IDs are 32 hexadecimal digits. A secret sent as an ID would appear in the service's answer and log. */
const USUAL_ID = /^[\da-f]{32}$/i;

/** The ID that a word names: an alias, or an ID itself. @throws InvalidWord */
export function findAccessProject(word: string, record: Workspace): string {
  const alias = record.aliases.has(word) ? findProject(record, word)?.id : undefined;
  if (alias !== undefined) return alias;
  if (isProjectId(word)) return word;
  const works = `Type a project name or ID, for example ${commandText('/billing projects access')} prod.`;
  if (word === '') throw new InvalidWord('access', 'Which project?', works);
  const nearest = nearestWord(word, [...record.aliases]);
  throw new InvalidWord(
    word.slice(0, 40),
    'isn’t a project name',
    works,
    nearest === undefined ? undefined : `projects access ${nearest}`,
  );
}

/**
 * @param metadata the project's ID, the stamp of its record, and what tells the form from others
 * @param parseAuthUrl the address as it will be used; throws address-refused, InvalidWord
 */
export function parseAccessForm(
  fields: FormFields,
  metadata: string,
  parseAuthUrl: (text: string) => string,
): ParsedForm<AccessRequest> {
  const { authUrl = '', access_id: id = '', secret = '' } = fields;
  const issuers = { people: selectedValues(fields.people), groups: selectedValues(fields.groups) };
  const [project = '', stamp = '', form = ''] = metadata.split(' ');
  const expiry = parseExpiryChoice(fields);
  const isKept = id === '' && secret === '';
  const url = parseField(() => parseAuthUrl(authUrl));
  const errors = withoutUndefined({
    authUrl: url.refusal,
    access_id: isKept
      ? undefined
      : USUAL_ID.test(secret.trim()) && id.length > secret.length
        ? 'The ID and the secret look swapped.'
        : ID.test(id)
          ? undefined
          : 'Paste only the ID, without spaces or line breaks.',
    secret:
      isKept || secret !== ''
        ? undefined
        : 'Enter the secret for this ID. If you no longer have it, create a new access in the console.',
    expires: expiry !== undefined && 'error' in expiry ? expiry.error : undefined,
    people:
      !isProjectId(project) || !isIssuers(issuers)
        ? `Choose up to ${MAX_ISSUERS} people and ${MAX_ISSUER_GROUPS} groups.`
        : issuers.people.length + issuers.groups.length === 0
          ? 'Choose at least one person or group.'
          : undefined,
  });
  if (Object.keys(errors).length > 0 || url.value === undefined) return { errors };
  const credentials = isKept ? undefined : { id, secret };
  const choice = expiry !== undefined && 'choice' in expiry ? expiry.choice : undefined;
  return { input: { project, authUrl: url.value, credentials, issuers, expiry: choice, stamp, form } };
}

/** What the form is filled in with, as a button's value: neither ID nor secret, which may be swapped. */
const defaults = z.object({
  project: z.coerce.string(),
  authUrl: z.string().optional().catch(undefined),
  issuers: z.custom<Issuers>(isIssuers).optional().catch(undefined),
  expiry: z.custom<ExpiryChoice>(isExpiryChoice).optional().catch(undefined),
});
export type AccessFormDefaults = Readonly<z.infer<typeof defaults>>;

/** What does not fit into a button is typed again. */
export function encodeAccessMetadata({ project, authUrl, issuers, expiry }: AccessRequest): string {
  const all = JSON.stringify({ project, authUrl, issuers, expiry });
  return all.length > SLACK_LIMITS.buttonValue ? JSON.stringify({ project }) : all;
}

/** Parses a button's value, which is outside text. It only fills in a form, which is validated again. */
export const decodeAccessMetadata = (value: string): AccessFormDefaults =>
  value.startsWith('{') ? (tryParseRecord(defaults, value) ?? { project: '' }) : { project: value };
