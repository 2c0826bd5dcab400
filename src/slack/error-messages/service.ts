import type { Button } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { BROKEN_OFF, NO_PUBLIC_ADDRESS, type Service } from '../../domain/failure/index.ts';
import { parseWithOutput } from '../../domain/language/parse-argument.ts';
import { parseCommandText } from '../../domain/language/parse-command.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { toCommand } from '../commands/command.ts';
import { commandButton } from '../commands/command-buttons.ts';
import { button } from '../kit/blocks.ts';
import {
  canManage,
  type Descriptions,
  type ErrorDescription,
  type FailedRequest,
  forManagers,
  REPLACE_TOKEN,
  retryButton,
  tryAgain,
  tryAgainIn,
} from './description.ts';

export const SERVICE_DESCRIPTIONS = {
  'token-rejected': (_, request) => replaceToken('It may have expired or been revoked.', request),
  forbidden: (_, request) =>
    replaceToken('Its role may not cover billing, or it may belong to another account.', request),
  'no-data': ({ question: { days, product } }, request) => ({
    todo: `Try another product${days === undefined ? '' : ' or period'}, or check the project ID.`,
    buttons: otherProducts(product, request),
  }),
  'query-rejected': ({ messages }, { command }) => ({
    todo: 'Its message:',
    quotes: messages,
    buttons: retryButton(command),
  }),
  'rate-limited': ({ retryAfter = 60 }, request) => tryAgainIn(retryAfter * 1000, request),
  'service-failed': ({ status, service }, request) =>
    status < 500 ? checkAddress(service, request) : tryAgain(TEMPORARY, request),
  'timed-out': (_, request) => tryAgain(TEMPORARY, request),
  'queue-full': (_, request) => tryAgain('Try again in a minute.', request),
  'service-unreachable': ({ code, service }, request) =>
    code === NO_PUBLIC_ADDRESS
      ? checkAddress(service, request, `The address may be wrong. ${PUBLIC_ONLY}`)
      : checkAddress(service, request, 'The service may be down, or its address may be wrong.'),
  'invalid-response': ({ service, what }, request) =>
    what === BROKEN_OFF ? tryAgain(TEMPORARY, request) : checkAddress(service, request),
  'response-too-large': ({ service }, request) =>
    request.command?.command === '/spend'
      ? { todo: 'Tally stopped reading, so there are no figures. Ask for a shorter period.' }
      : checkAddress(service, request, 'Tally stopped reading. The address may be wrong.'),
  'redirect-refused': ({ service, target }, request) => ({
    ...forManagers(
      request,
      {
        todo: 'If the service has moved, enter the new address. It redirects to:',
        buttons: addressButton(service),
      },
      `If the service has moved, a Tally manager can register the new address with ${ADDRESS_FORM[service]}. It redirects to:`,
    ),
    quotes: [target],
  }),
  'address-refused': (_, request) => ({
    todo: PUBLIC_ONLY,
    ...(!canManage(request) && { sentence: 'Tally doesn’t connect to the service’s address.' }),
  }),
} satisfies Partial<Descriptions>;

const TEMPORARY = 'This is usually temporary. Try again.';

const PUBLIC_ONLY =
  'Tally connects to public https addresses only. Tally’s operator can allow others in TRUSTED_API_HOSTS.';

const ADDRESS_FORM = {
  billing: commandText('/billing connect'),
  identity: commandText('/billing projects access'),
} as const;

const replaceToken = (reason: string, request: FailedRequest): ErrorDescription =>
  forManagers(
    request,
    { todo: reason, buttons: [REPLACE_TOKEN] },
    `${reason} A Tally manager can replace it.`,
    toCommand('/billing connect'),
  );

const checkAddress = (
  service: Service,
  request: FailedRequest,
  reason = 'The address may lead to something else, such as a login page or a proxy.',
): ErrorDescription => {
  if (!canManage(request))
    return tryAgain(`${reason} A Tally manager can check it with ${ADDRESS_FORM[service]}.`, request);
  const { todo, buttons = [], ...rest } = tryAgain(`${reason} Check the address, or try again.`, request);
  return { ...rest, todo, buttons: [...buttons, ...addressButton(service)] };
};

/** The form that has the address; a project's access is found through the list of projects. */
const addressButton = (service: Service): Button[] =>
  service === 'billing'
    ? [button('connect', 'Check the address…')]
    : commandButton('projects', 'Projects', toCommand('/billing projects'));

function otherProducts(wrong: ProductId, { command: failed, workspace }: FailedRequest): Button[] {
  if (failed === undefined) return [];
  const { command, text } = failed;
  const aliases = workspace?.aliases ?? new Set();
  const { words, output } = parseWithOutput(text, aliases, parseCommandText);
  return PRODUCT_IDS.filter((product) => product !== wrong).flatMap((product) =>
    commandButton(`product-${product}`, `Try ${PRODUCTS[product].name}`, {
      command,
      text: formatParsedCommand({ ...words, product }, output),
    }),
  );
}

const ACCESS_PAGE = 'Cloud servers → the project → Access for applications';

/** What to add to the account of something that may be missing in the audit. */
export const AUDIT_NOTES = {
  yes: undefined,
  maybe: 'This may not be in the audit.',
  no: 'Tally couldn’t add this to the audit.',
} as const;

export const IDENTITY_DESCRIPTIONS = {
  'access-refused': ({ status }) => ({
    todo:
      status === 401
        ? `Its secret may be wrong or expired, or its user was disabled or lost the role. Check it in the console under ${ACCESS_PAGE}, or make a new one there.`
        : 'Its role may not allow that.',
  }),
  'access-not-found': () => ({
    todo: `Its ID may be mistyped, or it was deleted. The console lists every access under ${ACCESS_PAGE}.`,
  }),
  'project-disabled': () => ({
    todo: 'The project may be disabled or deleted. Check it in the console.',
  }),
  'wrong-identity-url': ({ suggestion }) =>
    suggestion === undefined
      ? { todo: 'Copy the address from the console: API endpoints, identity. It ends with /v3.' }
      : { todo: 'The address should end with /v3. Did you mean:', quotes: [suggestion] },
  'outcome-unclear': (_, { command }) => ({
    todo: 'If there is a token, nobody has seen it, and it expires by itself. You can try again.',
    buttons: retryButton(command),
  }),
  'access-missing': ({ project }, request) =>
    forManagers(
      request,
      {
        todo: 'The console shows the ID and the secret when you make an access for applications.',
        buttons: [button('access-form', 'Register an access…', { value: project, style: 'primary' })],
      },
      `A Tally manager can register one with ${commandText('/billing projects access')}.`,
      toCommand('/billing projects', `access ${project}`),
    ),
  'too-many-tokens': ({ wait }, request) => tryAgainIn(wait, request),
  'token-not-shown': ({ why, state, until, audit }) => {
    const became = {
      revoked: 'Tally revoked the token.',
      'not-revoked': `Tally couldn’t revoke the token: it works until ${until}.`,
      unclear: `Tally couldn’t confirm that the token is revoked: it may work until ${until}.`,
    }[state];
    return { todo: [why, became, AUDIT_NOTES[audit]].filter(Boolean).join(' ') };
  },
} satisfies Partial<Descriptions>;
