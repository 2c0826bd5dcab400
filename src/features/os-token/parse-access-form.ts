import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/nearest-word.ts';
import { isProjectId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type ExpiryChoice, isExpiryChoice, parseExpiryChoice } from '../../slack/commands/expiry-input.ts';
import { SLACK_LIMITS } from '../../slack/kit/blocks.ts';
import {
  type FormFields,
  type ParsedForm,
  parseField,
  selectedValues,
} from '../../slack/request/form-fields.ts';
import {
  type Issuers,
  isIssuers,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
} from '../../workspace/credentials/access-record.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { findProject } from '../../workspace/record/workspace.ts';

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

/** How the project with this ID is called: by its alias if it has one. */
export function accessProjectLabel(record: Workspace, project: string): { label: string; word: string } {
  const alias = record.projects.find(({ id }) => id === project)?.alias;
  return { label: alias ?? `Project ${project}`, word: alias ?? project };
}

/**
 * @param metadata the project's ID and the stamp of its record
 * @param parseAuthUrl the address as it will be used; throws address-refused, InvalidWord
 */
export function parseAccessForm(
  fields: FormFields,
  metadata: string,
  parseAuthUrl: (text: string) => string,
): ParsedForm<AccessRequest> {
  const { authUrl = '', access_id: id = '', secret = '' } = fields;
  const issuers = { people: selectedValues(fields.people), groups: selectedValues(fields.groups) };
  const [project = '', stamp = ''] = metadata.split(' ');
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
  return { input: { project, authUrl: url.value, credentials, issuers, expiry: choice, stamp } };
}

/** What the form is filled in with: neither ID nor secret, which may be swapped. */
export interface AccessFormDefaults {
  readonly project: string;
  readonly authUrl?: string | undefined;
  readonly people?: readonly SlackId[];
  readonly groups?: readonly string[];
  readonly expiry?: ExpiryChoice;
}

/** For a button's value; what does not fit into one is typed again. */
export function encodeAccessMetadata({ project, authUrl, issuers, expiry }: AccessRequest): string {
  const all = JSON.stringify({ project, authUrl, ...issuers, expiry });
  return all.length > SLACK_LIMITS.buttonValue ? JSON.stringify({ project }) : all;
}

const metadata = z.looseObject({
  project: z.coerce.string(),
  authUrl: z.string().optional().catch(undefined),
});

/** Parses a button's value, which is outside text. It only fills in a form, which is validated again. */
export function decodeAccessMetadata(value: string): AccessFormDefaults {
  if (!value.startsWith('{')) return { project: value };
  const { project, authUrl, people, groups, expiry } = tryParseRecord(metadata, value) ?? { project: '' };
  const issuers = { people, groups };
  return {
    project,
    authUrl,
    ...(isIssuers(issuers) && issuers),
    ...(isExpiryChoice(expiry) && { expiry }),
  };
}
