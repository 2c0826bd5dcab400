import * as z from 'zod';
import { InvalidWord } from '../../domain/failure/index.ts';
import { looksLikeSecret } from '../../domain/language/secret-detection.ts';
import { isProjectId } from '../../domain/product.ts';
import { SLACK_LIMITS } from '../../slack/kit/blocks.ts';
import {
  errorsOfShownFields,
  type FormFields,
  type ParsedForm,
  parseField,
} from '../../slack/request/form-fields.ts';
import {
  FIRST_CONNECTION_NAME,
  isConnectionName,
  ROLES,
  TOKEN_TYPES,
} from '../../workspace/credentials/connection-record.ts';
import { LIFETIMES } from '../../workspace/credentials/expiry.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Services } from '../feature.ts';

/** What the connect form says, once every field is right. */
export interface ConnectRequest {
  readonly name: string;
  readonly baseUrl: string;
  /** '' when none was given. */
  readonly authUrl: string;
  readonly token: string;
  /** Undefined when nobody said; so are role and lifetime. */
  readonly type: (typeof TOKEN_TYPES)[number] | undefined;
  /** '' when none was given. */
  readonly account: string;
  readonly role: (typeof ROLES)[number] | undefined;
  readonly lifetime: (typeof LIFETIMES)[number] | undefined;
  readonly project: string;
  /** The connection that the form was opened for, and the stamp of its record then. */
  readonly opened: { readonly name: string; readonly stamp: string } | undefined;
}

const A_NAME = 'Use 2 to 32 letters, digits and hyphens, for example main or eu-finance.';
const A_SECRET = 'That looks like a token. Everyone can see this field, so choose something else.';
export const MAX_ACCOUNT_LENGTH = 100;
/** Header values that HTTP takes: visible ASCII. A token with a line break or a space inside was copied wrongly. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The name after a verb; undefined when there is none. @throws InvalidWord */
export function parseConnectionName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (name === '') return undefined;
  if (!isConnectionName(name))
    throw new InvalidWord(name.slice(0, 40), 'isn’t a valid connection name', A_NAME);
  return name;
}

/** @param metadata the form's metadata, with the values of hidden fields; outside text */
export function parseConnectForm(
  sent: FormFields,
  metadata: string,
  checks: Services['checks'],
): ParsedForm<ConnectRequest> {
  const fields = { ...decodeConnectMetadata(metadata), ...sent } as FormFields;
  const errors: Record<string, string> = {};
  /** @returns the field's value; notes the error sentence where there is none */
  function take<T>(block: string, value: T | undefined, otherwise: string): T {
    if (value === undefined) errors[block] = otherwise;
    // This value is never used, because a form with errors isn't returned.
    return value as T;
  }
  const url = (block: string, check: (text: string) => string): string => {
    const { value, refusal = '' } = parseField(() => check(fields[block] ?? ''));
    return take(block, value, refusal);
  };
  const among = <T extends string>(block: string, known: readonly T[]): T | undefined =>
    fields[block]
      ? take(
          block,
          known.find((choice) => choice === fields[block]),
          'Choose the same as in the console.',
        )
      : undefined;
  const token = withoutQuotes(fields.token ?? '');
  const name = (fields.name ?? '').toLowerCase();
  const account = (fields.account ?? '').slice(0, MAX_ACCOUNT_LENGTH);
  const { project = '', opened, stamp } = fields;
  const isSecret = (typed: string): boolean =>
    (typed === name && looksLikeSecret(typed)) ||
    (token !== '' && typed.toLowerCase().includes(token.toLowerCase()));

  const input: ConnectRequest = {
    name: take(
      'name',
      isConnectionName(name) && !isSecret(name) ? name : undefined,
      isSecret(name) ? A_SECRET : A_NAME,
    ),
    baseUrl: url('baseUrl', checks.baseUrl),
    authUrl: fields.authUrl ? url('authUrl', checks.authUrl) : '',
    token: take('token', TOKEN.test(token) ? token : undefined, ONE_WORD),
    type: among('type', TOKEN_TYPES),
    account: take('account', isSecret(account) ? undefined : account, A_SECRET),
    role: among('role', ROLES),
    lifetime: among('lifetime', LIFETIMES),
    project: take('project', isProjectId(project) ? project : undefined, AN_ID),
    opened: opened && stamp ? { name: opened, stamp } : undefined,
  };
  if (Object.keys(errors).length === 0) return { input };
  return { errors: errorsOfShownFields(errors, sent, ABOVE_MORE) };
}

/** The fields of the form that are in sight when it opens. */
const ABOVE_MORE = ['token', 'baseUrl', 'project', 'lifetime'] as const;

const ONE_WORD = 'Paste only the token, without spaces or line breaks.';
const AN_ID = 'A project ID has 1 to 32 digits and doesn’t begin with a zero, for example 123.';

/** Removes the quotes around a copied value; a quote on one side only is part of the value. */
const withoutQuotes = (text: string): string =>
  text.trim().replace(/^(["'`])(.+)\1$|^[“”„](.+)[“”]$|^[‘’‚](.+)[‘’]$/s, '$2$3$4');

/** What the form may show again after a failure: everything but the token. */
export type ConnectMetadata = Omit<ConnectRequest, 'token' | 'opened'>;
export type ConnectFormDefaults = Partial<Record<keyof ConnectMetadata, string>>;

/** For a button's value: if addresses are too long to fit, only the name is kept. */
export function encodeConnectMetadata({ token: _, opened: __, ...rest }: ConnectRequest): string {
  const all = JSON.stringify(rest);
  return all.length > SLACK_LIMITS.buttonValue ? JSON.stringify({ name: rest.name }) : all;
}

/** What the form shows again after **More…**: all but the token. */
export function connectFormState(fields: FormFields, metadata: string): ConnectFormDefaults {
  const { token: _, ...typed } = fields;
  return { ...decodeConnectMetadata(metadata), ...typed };
}

/** Like `encodeConnectMetadata`, without the name, which turned out to be a secret. */
export const encodeWithoutName = (request: ConnectRequest): string =>
  encodeConnectMetadata({ ...request, name: FIRST_CONNECTION_NAME, account: '' });

/** Parses a button's value, which is outside text. It only fills in a form, which is validated again. */
export const decodeConnectMetadata = (value: string): ConnectFormDefaults =>
  tryParseRecord(z.record(z.string(), z.coerce.string()), value) ?? {};
