/** What people can do after each kind of failure. The failure's own message says what happened. */
import type { Button } from '@slack/types';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { type Failure, failureSentence } from '../../domain/failure/index.ts';
import { BROKEN_OFF, NO_PUBLIC_ADDRESS, type Service } from '../../domain/failure/kinds.ts';
import { parseCommandText } from '../../domain/language/parse-command-text.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { parseTyped } from '../../domain/language/questions/parse-question.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, daysBetween } from '../../domain/time/calendar.ts';
import { listNames } from '../../domain/wording.ts';
import { KEY_IS_GONE } from '../../workspace/credentials/credential-health.ts';
import { isSameProject } from '../../workspace/projects/chosen-project.ts';
import type { LastFailure } from '../../workspace/record/service-outcomes.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import { button, channelLink, escapeMarkup } from '../block-kit/blocks.ts';
import { commandButton, toCommand } from '../commands/command-buttons.ts';
import { projectPicker, projectSelect } from '../commands/project-picker.ts';
import {
  type Advice,
  type AdviceTable,
  adviseOnWord,
  buttonsOf,
  canManage,
  type FailedRequest,
  isAuthorized,
  tryAgain,
  tryAgainIn,
} from './advice.ts';

const CONNECT_FORM = toCommand('/billing connect');
const CONNECT = button('connect', 'Connect…', { style: 'primary' });
const REPLACE = {
  managerButtons: [button('connect', 'Replace token…', { style: 'primary' })],
  ask: CONNECT_FORM,
};
const SETTINGS = toCommand('/billing settings');
const ACCESS = commandText('/billing projects access');
const ACCESS_PAGE = 'Cloud servers → the project → Access for applications';
const TEMPORARY = 'This is usually temporary.';
const PUBLIC_ONLY =
  'Tally only connects to public https addresses. Your operator can allow others in TRUSTED_API_HOSTS.';
const LOST_TOKEN = 'It may have expired or been revoked.';
const WRONG_ROLE = 'The token’s role may not include billing, or the token may belong to another account.';

const replace = (reason: string): Advice => ({
  todo: `${reason} A Tally manager can replace it.`.trim(),
  managerTodo: reason,
  ...REPLACE,
});

const ASK_INSTEAD = {
  guest: 'Ask a full member, or ask an admin to allow guests.',
  external: 'Ask a member of that workspace.',
  'not-member': 'Ask a full member.',
  'not-owner': '',
  'not-manager': 'Ask an owner or admin of this workspace.',
  channel: 'Ask in one of its channels, or ask a Tally manager to allow this one.',
} as const;

const limitedText = (label: string, channels: readonly SlackId[]): string =>
  `${escapeMarkup(label)} is limited to ${listNames(channels.map(channelLink))}. Ask there.`;

const ADVICE: AdviceTable = {
  'text-too-long': { todo: `Try a shorter command, such as ${commandText('/spend')} prod last-month.` },
  'secret-pasted': (_, request) =>
    request.command?.command === '/os-token' ? accessSecretPasted(request) : TOKEN_PASTED,
  'period-just-began': { todo: 'Try again in a moment, or ask for yesterday.', again: '' },
  'project-missing': ({ projectFor }, request) => {
    const { command } = request;
    if (command === undefined || !isAuthorized(request))
      return {
        todo: `Use the ID on its project card in the console, for example ${commandText('/spend')} 123`,
      };
    return {
      choices:
        projectFor === undefined
          ? projectPicker(command, request)
          : projectSelect(command.command, projectFor, request),
    };
  },
  'not-connected': (_, request) => {
    const people = request.workspace?.settings.managers.slice(0, MOST_NAMED) ?? [];
    const who = people.length === 0 ? 'An owner or admin of this workspace' : 'A Tally manager';
    return {
      todo: `${who} can connect it.`,
      managerTodo: 'You need the address of the billing service and an access token.',
      people: canManage(request) ? [] : people,
      managerButtons: [CONNECT],
      ask: CONNECT_FORM,
    };
  },
  'connection-missing': ({ connection, project }) => {
    const edit =
      project?.alias === undefined ? undefined : toCommand('/billing projects', `edit ${project.alias}`);
    const choose = edit === undefined ? [] : commandButton('edit', 'Choose another…', edit);
    const connect = button('connect', 'Connect…', connection === undefined ? {} : { value: connection });
    const one = connection === undefined ? 'one' : 'another';
    return {
      todo: `A Tally manager can choose ${one}. ${commandText('/billing status')} lists all connections.`,
      managerTodo:
        connection === undefined
          ? `Choose a connection for the project, or make one the default in ${commandText('/billing status')}.`
          : 'Choose another connection, or add this one again.',
      managerButtons: [...choose, connect],
      ask: edit,
    };
  },
  'not-allowed': ({ reason, people = [], limited, owned }, request) => {
    const isMine = reason === 'channel' && canManage(request);
    const todo = isMine
      ? 'As a Tally manager, you can ask in a direct message with Tally.'
      : ASK_INSTEAD[reason];
    const asked = owned === undefined ? 'what was asked' : toCommand(`/billing ${owned.plural}`, owned.text);
    // If a manager ran the command, the manager would get the token, not the person who asks.
    const isToken = request.command?.command === '/os-token';
    const nobody = reason === 'external' || (reason === 'not-manager' && people.length === 0);
    return {
      ...(people.length > 0 ? { people } : { todo }),
      ...(reason === 'channel' && { sentence: 'You can’t ask about this project here.' }),
      lead: limited && request.channels?.length ? limitedText(limited.label, request.channels) : undefined,
      ask: nobody || isToken ? undefined : asked,
    };
  },
  'not-issuer': ({ label }) => ({
    todo: `A Tally manager can add you with ${ACCESS}.`,
    managerTodo: `Managers can’t get tokens unless they’re added. Add yourself with ${ACCESS}.`,
    ask: toCommand('/billing projects', `access ${label.replace(/^Project /, '')}`),
  }),
  'rights-changed': tryAgain(),
  throttled: ({ wait }) => tryAgainIn(wait),

  'token-rejected': replace(LOST_TOKEN),
  forbidden: replace(WRONG_ROLE),
  'no-data': ({ question: { project: id, days, product } }, request) => {
    const isNamed = request.workspace?.projects.some((known) => isSameProject(known, { id, product }));
    const isRecent = isNamed && days !== undefined && daysBetween(days.first, days.last) < 7;
    const lead = isRecent ? 'Billing may not have reported this yet. Otherwise, try' : 'Try';
    return {
      todo: `${lead} another product${days === undefined ? '' : ' or period'}, or check the project ID.`,
      buttons: otherProducts(product, request),
    };
  },
  'query-rejected': ({ messages }) => ({ todo: 'The service said:', quotes: messages, again: '' }),
  'rate-limited': ({ retryAfter = 60 }) => tryAgainIn(retryAfter * 1000),
  'service-failed': ({ status, service }) => (status < 500 ? checkAddress(service) : tryAgain(TEMPORARY)),
  'timed-out': tryAgain(TEMPORARY),
  'queue-full': { todo: 'Try again in a minute.', again: '' },
  'service-unreachable': ({ code, service }) =>
    checkAddress(
      service,
      code === NO_PUBLIC_ADDRESS
        ? `The address may be wrong. ${PUBLIC_ONLY}`
        : 'The service may be down, or its address may be wrong.',
    ),
  'invalid-response': ({ service, what }) =>
    what === BROKEN_OFF ? tryAgain(TEMPORARY) : checkAddress(service),
  'response-too-large': ({ service }, { command }) =>
    command?.command === '/spend'
      ? { todo: 'Ask about a shorter period.' }
      : checkAddress(service, 'The address may be wrong.'),
  'redirect-refused': ({ service, target }) => ({
    todo: `A Tally manager can enter the new address with ${ADDRESS_FORM[service]}. The service redirects to:`,
    managerTodo: 'If the address below is right, enter it:',
    quotes: target === undefined ? [] : [target],
    managerButtons: addressButton(service),
  }),
  'address-refused': (_, request) => ({
    todo: PUBLIC_ONLY,
    ...(!canManage(request) && { sentence: 'Tally doesn’t connect to the service’s address.' }),
  }),

  'access-refused': ({ status }) => ({
    todo:
      status === 401
        ? `Its secret may be wrong or expired, or its user may have lost access. Check it in the console under ${ACCESS_PAGE}, or create a new one there.`
        : `Its role may be too limited. Check it in the console under ${ACCESS_PAGE}.`,
  }),
  'access-not-found': {
    todo: `Its ID may be mistyped, or it was deleted. In the console, look under ${ACCESS_PAGE}.`,
  },
  'project-disabled': { todo: 'The project may be disabled or deleted. Check it in the console.' },
  'wrong-identity-url': {
    todo: 'Copy the address from the console: API endpoints → identity. It ends with /v3.',
  },
  'outcome-unclear': {
    todo: 'If a token was issued, nobody has seen it, and it will expire. Try again.',
    again: '',
  },
  'access-missing': ({ project }) => ({
    todo: `A Tally manager can add it with ${ACCESS}.`,
    managerTodo: 'Create one in the console first, and copy its ID and secret.',
    managerButtons: [button('access-form', 'Add application access…', { value: project, style: 'primary' })],
    ask: toCommand('/billing projects', `access ${project}`),
  }),
  'token-not-shown': ({ why, isRevoked }) => {
    const became = isRevoked
      ? 'Tally revoked the token it couldn’t show.'
      : 'Nobody has seen the token, but Tally couldn’t revoke it. It expires by itself.';
    return { todo: [why, became].filter(Boolean).join(' ') };
  },

  'unseal-failed': ({ reason, what }) => {
    if (reason !== 'malformed') return { sentence: KEY_IS_GONE };
    return what === 'billing-token'
      ? replace('')
      : { todo: 'Your operator can find details in Tally’s log.' };
  },
  'settings-damaged': {
    todo: `Tally can’t answer until they’re saved again. An admin can do that with ${commandText('/billing settings')}.`,
    managerTodo: 'Tally can’t answer until you save them again.',
    managerButtons: commandButton('settings', 'Open settings…', SETTINGS, { style: 'primary' }),
    ask: SETTINGS,
  },
  'edit-conflict': { todo: 'Your change wasn’t saved. Check the current values, then try again.' },
  // Redis may have saved a change although its answer was lost.
  'store-unavailable': {
    todo: 'Try again in a minute. If you were saving a change, check first whether it was saved.',
    again: '',
  },
  'not-installed': { todo: 'An admin can install Tally again.' },
  'slack-failed': ({ retryAfter, code }) => {
    if (retryAfter !== undefined) return tryAgainIn(retryAfter * 1000);
    if (code !== 'expired_trigger_id') return { ...tryAgain(), isOurs: true };
    return { ...tryAgain(), sentence: 'The window took too long to open.' };
  },
  'cannot-post': ({ reason }) => ({
    todo:
      reason === 'not-there'
        ? 'Type /invite @Tally in that channel and try again, or ask here.'
        : 'Ask in another channel or here.',
    again: '',
  }),
  // Lists and notices report posts that weren't sent. No reply does.
  'not-sent': {},
};

const MOST_NAMED = 5;

const REVOKE_PASTED = 'It’s still in Slack’s history, so revoke it in the console and create a new one.';
const TOKEN_PASTED: Advice = {
  todo: `${REVOKE_PASTED} Then a Tally manager can add the new one.`,
  managerTodo: `${REVOKE_PASTED} Then add the new one here.`,
  managerButtons: [CONNECT],
};

function accessSecretPasted(request: FailedRequest): Advice {
  const revoke = 'It’s still in Slack’s history, so delete the access in the console and create a new one.';
  return {
    todo: `${revoke} A Tally manager can add it with ${ACCESS}.`,
    managerTodo: `${revoke} Add the new one with ${ACCESS}.`,
    choices:
      isAuthorized(request) && canManage(request)
        ? projectSelect('/billing', ACCESS.replace('/billing ', ''), request)
        : [],
  };
}

const ADDRESS_FORM = { billing: commandText('/billing connect'), identity: ACCESS } as const;

const checkAddress = (
  service: Service,
  reason = 'The address may be wrong, or lead to a login page or a proxy.',
): Advice => ({
  todo: `${reason} A Tally manager can check it with ${ADDRESS_FORM[service]}.`,
  managerTodo: `${reason} Check the address, or try again.`,
  again: '',
  managerButtons: addressButton(service),
});

function addressButton(service: Service): Button[] {
  if (service === 'billing') return [button('connect', 'Check the address…')];
  return commandButton('projects', 'Open projects', toCommand('/billing projects'));
}

function otherProducts(wrong: ProductId, { command: failed, workspace, at }: FailedRequest): Button[] {
  if (failed === undefined || workspace === undefined || at === undefined) return [];
  const { command, text } = failed;
  const words = parseTyped(command, text, parseContextOf(workspace, at), parseCommandText);
  return PRODUCT_IDS.filter((product) => product !== wrong).flatMap((product) =>
    commandButton(`product-${product}`, `Try ${PRODUCTS[product].name}`, {
      command,
      text: formatParsedCommand({ ...words, product }),
    }),
  );
}

export function describeError(failure: Failure, request: FailedRequest) {
  const { kind, data } = failure;
  const entry = kind === 'invalid-word' ? adviseOnWord(failure, request) : ADVICE[kind];
  const advice: Advice =
    typeof entry === 'function'
      ? (entry as (data: object, request: FailedRequest) => Advice)(data, request)
      : entry;
  const { todo = '', quotes = [], sentence = failure.message, people = [], choices = [] } = advice;
  const isManager = canManage(request);
  const buttons = buttonsOf(advice, request);
  const words = isManager ? (advice.managerTodo ?? todo) : todo;
  const again = advice.again === 'Try again.' && request.command === undefined ? advice.again : '';
  const isDetailed = 'host' in data && data.host !== undefined && kind !== 'address-refused' && isManager;
  const detail = isDetailed ? ['code' in data ? `${data.host} (${data.code})` : data.host] : [];
  return {
    sentence,
    people,
    choices,
    buttons,
    todo: [words, again].filter(Boolean).join(' '),
    lead: advice.lead,
    quotes: [...quotes, ...detail] as readonly string[],
    isOurs: advice.isOurs === true,
  };
}

/** A failure's message begins with what happened. The consequences follow after one of these signs. */
const AFTER_FACT = /: |\.(?: |$)/;

/** Mrkdwn: `the billing service returned an error (HTTP 500)` */
export function lastFailureText(failure: LastFailure, today: Day): string {
  const [fact = ''] = failureSentence(failure, today).split(AFTER_FACT);
  return escapeMarkup(fact.startsWith('Tally') ? fact : fact.charAt(0).toLowerCase() + fact.slice(1));
}
