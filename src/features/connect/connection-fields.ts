import { InvalidWord } from '../../domain/failure/index.ts';
import { isProjectId } from '../../domain/product.ts';
import { looksLikeSecret } from '../../domain/secret-detection.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { section } from '../../slack/block-kit/blocks.ts';
import { REMINDER_HINT } from '../../slack/forms/common-fields.ts';
import { choice, choices, type Field, more, note, refuseField, text } from '../../slack/forms/fields.ts';
import { type FormFields, selectedValues } from '../../slack/request/payload.ts';
import {
  FIRST_CONNECTION_NAME,
  isConnectionName,
  LIFETIME_NAMES,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/credential-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';

const A_NAME = 'Use 2 to 32 letters, digits and hyphens, for example main or eu-finance.';
const A_SECRET = 'That looks like a token. Everyone can see this field, so choose something else.';
/**
 * Characters allowed in a token: visible ASCII, as HTTP headers require. A space or line break means a copying mistake.
 */
const TOKEN = /^[\x21-\x7e]+$/;

/** The connection's name after a verb; undefined when there is none. @throws InvalidWord */
export function parseConnectionName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (name === '') return undefined;
  if (!isConnectionName(name))
    throw new InvalidWord(name.slice(0, 40), 'isn’t a valid connection name', A_NAME);
  return name;
}

/** What the form starts with: values of the named connection, or likely ones for a new connection. */
export function connectionValues(
  record: Workspace,
  wanted: string | undefined,
  defaultAddresses: Services['defaultAddresses'],
): FormFields & { readonly name: string } {
  const name = wanted ?? record.defaultConnection ?? record.connectionNames[0] ?? FIRST_CONNECTION_NAME;
  const current = record.connections.get(name);
  const like = current ?? {
    ...record.connections.get(record.defaultConnection ?? ''),
    ...withoutUndefined(defaultAddresses),
  };
  const { baseUrl = '', authUrl = '' } = like;
  const { account = '', test } = current ?? {};
  const values = { name, baseUrl, authUrl, account, project: test?.project ?? '' };
  const known = Object.entries(values).flatMap(([field, value]) => (value === '' ? [] : [field]));
  return { ...values, known: known.join(',') };
}

/** Puts a field under **More…** if its value was known when the form opened. */
const unlessKnown = <T>(name: string, field: Field<T>): Field<T> =>
  more(field, ({ known }) => selectedValues(known).includes(name));

/** An optional choice that must be the one in the console; undefined if not chosen. */
const asInConsole = <T extends string>(
  label: string,
  hint: string,
  names: Record<T, string>,
): Field<T | undefined> =>
  choice(label, {
    hint,
    options: choices(names),
    optional: true,
    parse: (chosen) => (Object.hasOwn(names, chosen) ? (chosen as T) : undefined),
  });

const TOKEN_FIELD = {
  token: text('User access token', {
    hint: 'In the console: Access management → Access tokens → Create token. Copy it there: the console shows it once. Tally encrypts it and never shows it again.',
    max: 3000,
    secret: true,
    parse(typed) {
      const token = withoutQuotes(typed);
      return TOKEN.test(token) ? token : refuseField('Paste only the token, without spaces or line breaks.');
    },
  }),
};

const PROJECT_FIELD = {
  project: unlessKnown(
    'project',
    text('Project to test with', {
      hint: 'The numeric ID. In the console: Cloud servers → your project → project card.',
      placeholder: '123',
      max: 64,
      parse: (id) =>
        isProjectId(id)
          ? id
          : refuseField('A project ID has 1 to 32 digits, such as 123, and doesn’t start with a zero.'),
    }),
  ),
};

const MORE_FIELDS = {
  lifetime: more(
    asInConsole(
      'Lifetime of the token',
      `As in the console, counted from today. ${REMINDER_HINT} Skip it if you don’t know.`,
      LIFETIME_NAMES,
    ),
  ),
  name: more(
    text('Name of the connection', {
      hint: 'Keep it if you have one account. A new name adds a connection; an existing one gets the new token.',
      max: 32,
      parse(typed, { token = '' }) {
        const name = typed.toLowerCase();
        if (isSecret(name, token)) return refuseField(A_SECRET);
        return isConnectionName(name) ? name : refuseField(A_NAME);
      },
    }),
  ),
  role: more(
    asInConsole('Role of the token', 'As in the console. Read-only or Accountant is enough.', ROLE_NAMES),
  ),
  type: more(asInConsole('Type of the token', 'As in the console.', TYPE_NAMES)),
  account: more(
    text('Account', {
      hint: 'Helps you recognize the token later.',
      max: 100,
      optional: true,
      parse: (account, { token = '' }) => (isSecret(account, token) ? refuseField(A_SECRET) : account),
    }),
  ),
};

/** Shows the token's field and those whose value isn't known; the others are under **More…**. */
export const connectionFields = (parseAddress: Services['parseAddress']) => ({
  effect: note(({ id, request: { workspace } }) =>
    workspace.connectionNames.length === 0 ? [] : [section(describeEffect(id, workspace))],
  ),
  ...TOKEN_FIELD,
  ...PROJECT_FIELD,
  baseUrl: unlessKnown(
    'baseUrl',
    text('Address of the billing service', {
      hint: 'The part before /bill/graphql. A public https address, unless your operator allows others.',
      placeholder: 'https://billing.example.com',
      max: 500,
      parse: parseAddress.baseUrl,
    }),
  ),
  ...MORE_FIELDS,
  authUrl: more(
    text('Address of the identity service', {
      hint: 'Only needed for OS_TOKENs. It ends with /v3.',
      placeholder: 'https://identity.example.com/v3',
      max: 500,
      optional: true,
      parse: (address) => (address === '' ? '' : parseAddress.authUrl(address)),
    }),
  ),
});

/** Whether the typed text looks like a secret, or contains the token pasted into the form. */
const isSecret = (typed: string, pasted: string): boolean => {
  const token = withoutQuotes(pasted).toLowerCase();
  return looksLikeSecret(typed) || (token !== '' && typed.toLowerCase().includes(token));
};

/** Removes the quotes around a copied value. A quote on one side only belongs to the value. */
const withoutQuotes = (typed: string): string =>
  typed.trim().replace(/^(["'`])(.+)\1$|^[“”„](.+)[“”]$|^[‘’‚](.+)[‘’]$/s, '$2$3$4');

function describeEffect(name: string, { connections, connectionNames }: Workspace): string {
  const others = connectionNames.length > 1 ? ` of ${name}` : '';
  const known = connectionNames.length > 1 ? ` You have: ${connectionNames.join(', ')}.` : '';
  if (connections.has(name)) return `Replaces the token${others}. Tally tests the new one first.${known}`;
  if (connectionNames.includes(name))
    return `The stored token of ${name} is damaged. Enter it again to repair it.`;
  return `${name} will be a new connection. You have: ${connectionNames.join(', ')}.`;
}
