/**
 * **Ask a manager** is a button below a refusal. It sends the managers a message with **Open**, which runs the refused
 * command or opens a form, with the rights of the manager who presses it.
 */
import type { ActionId } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { parseCommandText } from '../../domain/language/parse-command-text.ts';
import { isDirectMessage, type SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import {
  actions,
  type Block,
  button,
  channelLink,
  context,
  escapeMarkup,
  type Message,
  markup,
  markupMessage,
  mention,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import { parseCommand, requireShortText } from '../../slack/commands/command-buttons.ts';
import { type AskedManager, askedManagerSchema } from '../../slack/error-messages/advice.ts';
import type { Request } from '../../slack/request/request.ts';
import { type HandlerRules, lookUp, onClick, rulesFor } from '../../slack/server/handlers.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { describeProjects } from '../../workspace/projects/chosen-project.ts';
import { limitedProjects } from '../../workspace/projects/project-scope.ts';
import { tryParseRecord } from '../../workspace/record/record-schemas.ts';
import { parseContextOf, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';

/** Presses within this time count as one: a double click, or a press that Slack sent twice. */
const SAME_PRESS: Millis = 10_000;

const NO_MANAGER = textMessage('Ask an owner or admin of this workspace.');

export function createAskManagerFeature({ registry, limits, dedup }: Services): Feature {
  const rulesOfCommand = (line: string): HandlerRules | undefined => {
    const { command, text } = parseCommand(line);
    const handler = lookUp(registry.handlers().commands, command);
    return handler && rulesFor(handler, text);
  };

  function parseAsked(value: string, { workspace }: Request): AskedManager | undefined {
    const asked = tryParseRecord(askedManagerSchema, value);
    const { line, click } = asked ?? {};
    const text = line ?? click?.value ?? '';
    requireShortText(text);
    if (holdsRegisteredSecret(text, workspace)) throw new Failure('secret-pasted');
    if (click === undefined) return rulesOfCommand(text) && asked;
    const handler = lookUp(registry.handlers().actions, click.id.split(':')[0] ?? '');
    return handler && rulesFor(handler, click.value).opensForm ? asked : undefined;
  }

  async function askManagers(value: string, request: Request): Promise<void> {
    const { user, slack } = request;
    const reply = (message: Message) =>
      request.reply.source.viewId !== undefined
        ? request.reply.modal.show('Ask a manager', message)
        : request.reply.update(message);
    const asked = parseAsked(value, request);
    const managers = (await slack.managers()).filter((manager) => manager !== user.id);
    if (asked === undefined || managers.length === 0) return reply(NO_MANAGER);
    const isFirst = await dedup.first(user.teamId, `ask-manager ${user.id} ${value}`, SAME_PRESS);
    if (isFirst) limits.demand('tests', { teamId: user.teamId, userId: user.id });
    const reached = isFirst ? await sendToEach(managers, askedMessage(asked, request), request) : managers;
    await reply(markupMessage(`Asked ${reached.map(mention).join(', ')}.`));
  }

  return {
    actions: {
      'ask-manager': onClick('workspaceUser', { changes: true }, askManagers),
      'open-asked': {
        right: 'manage',
        changes: true,
        needs: (value) => ({ opensForm: rulesOfCommand(readAsked(value).line ?? '')?.opensForm === true }),
        async run({ value }, _, rerun) {
          const { place, line = '' } = readAsked(value);
          // Managers can't see a direct message, so a command from there runs without a channel.
          const askedIn = place === undefined || isDirectMessage(place) ? {} : { askedIn: place };
          await rerun(parseCommand(line), { replaces: false, ...askedIn });
        },
      },
    },
  };
}

const readAsked = (value: string): Partial<AskedManager> => tryParseRecord(askedManagerSchema, value) ?? {};

async function sendToEach(managers: readonly SlackId[], message: Message, { reply }: Request) {
  const sent = await Promise.allSettled(managers.map((manager) => reply.public(manager, message)));
  const reached = managers.filter((_, at) => sent[at]?.status === 'fulfilled');
  const [failed] = sent.filter((result) => result.status === 'rejected');
  if (reached.length === 0) throw failed?.reason;
  return reached;
}

function askedMessage(asked: AskedManager, request: Request): Message {
  const { place, line = '', click } = asked;
  const { user, workspace } = request;
  const where = place === undefined || isDirectMessage(place) ? '' : ` in ${channelLink(place)}`;
  const mend = findMend(asked, where, request);
  const what = click === undefined ? `run \`${escapeMarkup(line)}\`` : `open *${escapeMarkup(click.label)}*`;
  const [id, value] =
    click === undefined || mend !== undefined
      ? (['open-asked', JSON.stringify(mend === undefined ? asked : { line: mend.line })] as const)
      : ([click.id as ActionId, click.value] as const);
  return {
    text: 'A request for a Tally manager',
    blocks: [
      markup(`${mention(user.id)} ${mend?.why ?? `asks you to ${what}${where}`}.`),
      ...ownedFacts(line, workspace),
      actions(button(id, 'Open', { value, style: 'primary' })),
    ],
  };
}

/** Why the person may not ask, and the command for the form that can allow it. @param where ` in #general`, or '' */
function findMend({ place = '', line = '' }: AskedManager, where: string, { user, workspace, at }: Request) {
  if (user.role === 'guest' && !workspace.settings.guests)
    return { why: `can’t use Tally${where}: guests aren’t allowed`, line: '/billing settings' };
  const words = tryParse(() => parseCommandText(parseCommand(line).text, parseContextOf(workspace, at)));
  const typed = words?.alias ?? words?.project;
  const named = workspace.projects.filter(({ id, alias }) => typed === alias || typed === id);
  const [limited] = limitedProjects(place, named, workspace);
  if (limited === undefined) return undefined;
  return { why: `can’t ask about ${limited.alias}${where}`, line: `/billing projects edit ${limited.alias}` };
}

function ownedFacts(line: string, workspace: Workspace): Block[] {
  const id = line.split(' ').at(-1);
  const item = [...workspace.schedules, ...workspace.watches].find((owned) => owned.id === id);
  if (item === undefined) return [];
  const what = `${'rule' in item ? 'A watch on' : 'A schedule for'} ${describeProjects(item, workspace)}`;
  const place = item.channel === undefined ? '' : ` in ${channelLink(item.channel)}`;
  return [context(`${escapeMarkup(what)}${place}`)];
}
