import type { Button } from '@slack/types';
import {
  type Failure,
  type InvalidWord,
  NO_PUBLIC_ADDRESS,
  type Service,
  UNKNOWN_COMMAND,
  UNRECOGNIZED,
} from '../domain/failure/index.ts';
import { parseCommandText } from '../domain/language/command-text.ts';
import { formatPhrase } from '../domain/language/period-phrase.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../domain/product.ts';
import { visibleProjects } from '../workspace/resolve-project.ts';
import { type CommandInvocation, commandButton } from './command-buttons.ts';
import { actions, type Block, button, option, select } from './kit/atoms.ts';
import { canSuggest, projectPicker, projectSelect, type Scene } from './project-picker.ts';

/** What a failure looks like to a person: what happened is the failure's own sentence; this is what to do about it. */
export interface ErrorDescription {
  /** Says what happened, in place of the failure's own sentence. */
  readonly sentence?: string;
  readonly todo: string;
  /** Words from outside, shown as a quotation. */
  readonly quotes?: readonly string[];
  readonly buttons?: readonly Button[];
  /** What to choose from. */
  readonly choices?: readonly Block[];
}

const OPEN_CONNECT = button('connect', 'Connect…', { style: 'primary' });
export const retryButton = (rerun?: CommandInvocation): Button[] =>
  rerun === undefined ? [] : commandButton('again', 'Try again', rerun);

const ALLOWED_INSTEAD = {
  guest: 'Ask a full member of the workspace, or one of its owners and admins to allow guests.',
  stranger: 'Ask a full member of the workspace.',
  'not-member': 'Ask one of them.',
  'not-owner': 'Ask one of them.',
  'not-manager': 'Ask one of them.',
  channel: 'Ask there, or ask an owner or admin to allow this channel.',
} as const;

const POST_INSTEAD = {
  'not-there': 'Type /invite @Tally there, then ask again; or ask here.',
  archived: 'Ask in another channel, or here.',
  restricted: 'Ask in another channel, or here.',
} as const;

const ANEW = {
  'billing-token': 'An owner or admin can register the token again.',
  'application-access': 'An owner or admin can register it again.',
  'slack-installation': 'Whoever may install apps in this workspace can install Tally again.',
  project: 'An owner or admin finds it under /billing projects, and can remove it and add it again.',
  record: 'Whoever runs the bot finds the rest in its log.',
} as const;

const OVER_SOON = {
  billing: 'That is usually over soon. No figures were guessed.',
  identity: 'That is usually over soon.',
} as const;

/** Where the address of each service is registered. */
const FORM = { billing: '/billing connect', identity: '/billing projects access' } as const;

const PUBLIC_ONLY =
  'Tally connects to public https addresses only. Whoever runs this bot can allow others in TRUSTED_API_HOSTS.';

const leadsElsewhere = (service: Service): string =>
  `The address may lead to something else than the service’s interface, such as a login page or a proxy. An owner or admin can check it with ${FORM[service]}.`;

/** Every kind of failure has its advice here; the compiler refuses a kind without one. */
export function describeError(failure: Failure, rerun?: CommandInvocation, scene?: Scene): ErrorDescription {
  switch (failure.kind) {
    case 'token-rejected':
      return {
        todo: 'It may have lapsed or been withdrawn. An owner or admin of the workspace can register a new one.',
        buttons: [OPEN_CONNECT],
      };
    case 'forbidden':
      return {
        todo: 'Its role may not cover billing, or it belongs to another account. An owner or admin can register a token with another role.',
        buttons: [OPEN_CONNECT],
      };
    case 'no-data':
      return {
        todo: `Try another product${failure.question.days === undefined ? '' : ' or period'}, or check the project ID.`,
        buttons: rerun === undefined ? [] : otherProducts(failure.question.product.id, rerun, scene),
      };
    case 'query-rejected':
      return {
        todo: 'It said:',
        quotes: failure.messages,
        buttons: retryButton(rerun),
      };
    case 'rate-limited':
      return {
        todo:
          failure.retryAfter === undefined ? 'Wait a minute, then try again.' : waitFor(failure.retryAfter),
        buttons: retryButton(rerun),
      };
    case 'service-failed':
      return failure.status < 500
        ? {
            todo: `The address may lead to something else than the service’s interface. An owner or admin can check it with ${FORM[failure.service]}.`,
            buttons: retryButton(rerun),
          }
        : { todo: OVER_SOON[failure.service], buttons: retryButton(rerun) };
    case 'timed-out':
    case 'service-paused':
      return { todo: OVER_SOON[failure.service], buttons: retryButton(rerun) };
    case 'throttled':
      return { todo: `Try again in ${inWords(failure.wait)}.`, buttons: retryButton(rerun) };
    case 'queue-full':
      return { todo: 'Try again in a minute.', buttons: retryButton(rerun) };
    case 'service-unreachable':
      return {
        todo: `${failure.code === NO_PUBLIC_ADDRESS ? `The address may be wrong. ${PUBLIC_ONLY}` : 'Either the service is down or the address is wrong.'} An owner or admin can check the address with ${FORM[failure.service]}.`,
        buttons: retryButton(rerun),
      };
    case 'invalid-response':
      return {
        todo: leadsElsewhere(failure.service),
        buttons: retryButton(rerun),
      };
    case 'response-too-large':
      return {
        todo: rerun?.command === '/spend' ? 'Ask for a shorter period.' : leadsElsewhere(failure.service),
      };
    case 'redirect-refused':
      return {
        todo: `If that is the service’s new address, an owner or admin can register it with ${FORM[failure.service]}. It points to:`,
        quotes: [failure.target],
      };
    case 'access-refused':
      return {
        todo:
          failure.status === 401
            ? 'Its secret may be wrong, or the access has lapsed, or its user was disabled or lost the role. The console shows it under Cloud servers → the project → Access for applications; a new one can be made there.'
            : 'It is known and may not do that. Its role may not be enough.',
      };
    case 'access-not-found':
      return {
        todo: 'Its ID may be mistyped, or the access was deleted. The console lists those that are there under Cloud servers → the project → Access for applications.',
      };
    case 'project-disabled':
      return { todo: 'The project may be disabled or deleted. The console shows its state.' };
    case 'wrong-identity-url':
      return failure.suggestion === undefined
        ? {
            todo: 'The console lists the right one in its section API endpoints, under identity; it ends with /v3.',
          }
        : { todo: 'Its address ends with /v3. This one may be meant:', quotes: [failure.suggestion] };
    case 'outcome-unclear':
      return {
        todo: 'A token may exist that nobody has seen; it lapses by itself. Tally did not ask again, so that there are not two. You can.',
        buttons: retryButton(rerun),
      };
    case 'address-refused':
      return {
        todo: PUBLIC_ONLY,
      };
    case 'invalid-word':
      return invalidWordDescription(failure, rerun, scene);
    case 'text-too-long':
      return { todo: 'Type a shorter one, such as /spend prod last-month.' };
    case 'secret-pasted':
      if (rerun?.command === '/os-token') return accessForms(scene);
      return {
        todo: 'Slack keeps what was typed in its own history, so treat it as known to others: withdraw it in the console and make a new one. Secrets belong in the form that opens here.',
        buttons: [OPEN_CONNECT],
      };
    case 'period-just-began':
      return { todo: 'Ask again in a moment, or for yesterday.', buttons: retryButton(rerun) };
    case 'project-missing':
      return rerun === undefined || scene === undefined
        ? { todo: 'Name it by the ID on its project card in the console, for example: /spend 123' }
        : {
            todo: '',
            choices:
              failure.projectFor === undefined
                ? projectPicker(rerun, scene)
                : projectSelect(rerun.command, failure.projectFor, scene),
          };
    case 'not-connected':
      return {
        todo: 'An owner or admin of the workspace connects it once: it takes the address of the service and an access token.',
        buttons: [OPEN_CONNECT],
      };
    case 'connection-missing':
      return {
        todo: 'A Tally manager can choose another one, or register it again. /billing status lists those there are.',
        buttons: [
          ...(failure.project?.alias === undefined || scene?.manager !== true
            ? []
            : commandButton('edit', 'Choose another…', {
                command: '/billing',
                text: `projects edit ${failure.project.alias}`,
              })),
          button(
            'connect',
            'Connect…',
            failure.connection === undefined ? {} : { value: failure.connection },
          ),
        ],
      };
    case 'not-allowed':
      return {
        todo: ALLOWED_INSTEAD[failure.reason],
      };
    case 'access-missing':
      return scene?.manager === true
        ? {
            todo: 'Register one: its ID and secret are shown in the console when an access for applications is made.',
            buttons: [button('access', 'Register an access…', { value: failure.project, style: 'primary' })],
          }
        : { todo: 'An owner or admin registers one with /billing projects access.' };
    case 'not-issuer':
      return {
        todo: 'An owner or admin names people and groups with /billing projects access; managing alone is not enough.',
      };
    case 'too-many-tokens':
      return { todo: `The next one is possible in ${minutes(failure.wait)}.`, buttons: retryButton(rerun) };
    case 'token-too-long':
      return {
        todo: 'So it was not shown, and was given back at once where the service takes tokens back.',
      };
    case 'token-not-revoked':
      return {
        todo: [`It may live until ${failure.until}; nobody has seen it.`, failure.why]
          .filter(Boolean)
          .join(' '),
      };
    case 'unseal-failed':
      return {
        todo: [
          failure.reason === 'unknown-key'
            ? 'It was sealed with a key that this bot does not have. Whoever runs the bot can put the key back into ENCRYPTION_KEYS.'
            : 'The record is damaged or does not belong here, so Tally did not use it.',
          ANEW[failure.what],
        ].join(' '),
        buttons: failure.what === 'billing-token' ? [OPEN_CONNECT] : [],
      };
    case 'settings-damaged':
      return {
        todo: 'The time zone is among them, so no figures were guessed. An owner or admin can save them anew with /billing settings.',
      };
    case 'edit-conflict':
      return {
        todo: 'Your change was not made. Look at what is there, then change it if you still want to.',
      };
    case 'store-unavailable':
      return {
        todo: failure.unsure
          ? 'Whether your change was made is not known: look in a minute, before you make it again.'
          : 'Nothing was changed. Try again in a minute.',
        buttons: retryButton(rerun),
      };
    case 'not-installed':
      return { todo: 'Whoever may install apps in this workspace can install Tally again.' };
    case 'slack-failed':
      return {
        todo:
          failure.retryAfter !== undefined
            ? waitFor(failure.retryAfter)
            : failure.code === 'expired_trigger_id'
              ? 'It took longer than the three seconds that Slack allows.'
              : 'Try again; if it stays, whoever runs the bot finds the reason in its log.',
        buttons: retryButton(rerun),
      };
    case 'cannot-post':
      return { todo: POST_INSTEAD[failure.reason], buttons: retryButton(rerun) };
  }
}

const waitFor = (seconds: number): string =>
  seconds <= 0
    ? 'It no longer asks to wait: try again.'
    : `It asks to wait ${seconds <= 1 ? 'a second' : `${Math.ceil(seconds)} seconds`}, then try again.`;

/** `a second`, `4 seconds`, `2 minutes`: never too short. */
const inWords = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds > 60) return minutes(ms);
  return seconds <= 1 ? 'a second' : `${seconds} seconds`;
};

const minutes = (ms: number): string => {
  const count = Math.max(1, Math.ceil(ms / 60_000));
  return count === 1 ? 'a minute' : `${count} minutes`;
};

/** Where the secret of an application access belongs. */
function accessForms(scene?: Scene): ErrorDescription {
  const known =
    'Slack keeps what was typed in its own history: delete the access in the console and make a new one.';
  if (scene?.manager !== true)
    return { todo: `${known} A Tally manager registers it with /billing projects access.` };
  const projects = visibleProjects(scene.workspace, scene);
  if (projects.length === 0)
    return { todo: `${known} Its form opens with /billing projects access and the project, such as 123.` };
  const options = projects.map(({ alias, id }) => option(alias, id));
  return {
    todo: `${known} Its secret belongs in the form of its project:`,
    choices: [actions(select('access:project', 'Choose a project', options))],
  };
}

/** The same question about the other two products. */
function otherProducts(asked: ProductId, { command, text }: CommandInvocation, scene?: Scene): Button[] {
  const { project, alias = project, phrase } = parseCommandText(text, scene?.workspace.aliases);
  const words = [alias, phrase && formatPhrase(phrase)].filter(Boolean).join(' ');
  return PRODUCT_IDS.filter((id) => id !== asked).flatMap((id) =>
    commandButton(`product-${id}`, `Try ${PRODUCTS[id].name}`, {
      command,
      text: `${words} ${PRODUCTS[id].word}`.trim(),
    }),
  );
}

/** With a button for the correction, or for each meaning of an ambiguous word. */
function invalidWordDescription(
  failure: InvalidWord,
  rerun?: CommandInvocation,
  scene?: Scene,
): ErrorDescription {
  const { suggestion, readings, fact, why } = failure;
  const texts = (suggestion === undefined ? readings : [suggestion]).filter(
    (text) => scene === undefined || canSuggest(text, scene),
  );
  const buttons = rerun === undefined ? [] : texts.flatMap((text, at) => suggestionButton(text, rerun, at));
  const isUnknown = why === UNRECOGNIZED || why === UNKNOWN_COMMAND;
  // A suggestion that leaves the word out corrects no spelling: then the hint about what the command takes stays.
  const isSpelling = suggestion?.split(' ').length === rerun?.text.trim().split(/\s+/).length;
  const isGuess = isUnknown && isSpelling && buttons.length > 0;
  const choices =
    rerun === undefined || scene === undefined || failure.projectFor === undefined
      ? []
      : projectSelect(rerun.command, failure.projectFor, scene);
  return { todo: '', buttons, choices, ...(isGuess && { sentence: `${fact} Did you mean this?` }) };
}

function suggestionButton(text: string, { command }: CommandInvocation, at: number): Button[] {
  const id = at === 0 ? 'suggestion' : `suggestion-${at}`;
  return commandButton(
    id,
    `${command} ${text}`.trim(),
    { command, text },
    at === 0 ? { style: 'primary' } : {},
  );
}
