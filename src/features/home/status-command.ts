/** `/billing status` lists connections, projects, schedules and watches. Those with problems come first. */
import { Failure } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  actions,
  type Block,
  compact,
  context,
  header,
  type Message,
  markup,
} from '../../slack/block-kit/blocks.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import type { CommandHandler } from '../../slack/server/handlers.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import type { HealthLine, HealthSection, Services } from '../feature.ts';
import { isProblem, loadHealth } from './workspace-health.ts';

/** A connection's menu sends `/billing status default main`. */
export function createStatusCommand({ workspaces, registry }: Services): CommandHandler {
  const show = async (request: Request): Promise<void> => {
    const sections = await loadHealth(registry.health(), request);
    await request.reply.update(statusPage(sections));
  };

  const makeDefault = async (name: string, request: Request): Promise<void> => {
    const { workspace, user } = request;
    if (!workspace.connectionNames.includes(name))
      throw new Failure('connection-missing', { connection: name });
    if (workspace.defaultConnection !== name) {
      const change = auditedChange(request, ['changed the default connection to', name]);
      await workspaces.chooseDefault(change, name);
    }
    await show({ ...request, workspace: await workspaces.load(user.teamId) });
  };

  const chosenDefault = (text: string) => /^default (\S+)$/.exec(text)?.[1];
  return {
    right: 'ask',
    needs: (text) => (chosenDefault(text) === undefined ? {} : { right: 'manage', changes: true }),
    parse: (text) => (chosenDefault(text) === undefined ? refuseExtraWords(text, 'status') : undefined),
    async run(text, request) {
      const name = chosenDefault(text);
      if (name !== undefined) return makeDefault(name, request);
      refuseExtraWords(text, 'status');
      await show(request);
    },
  };
}

const MOST_BLOCKS = 50;

function statusPage(sections: readonly HealthSection[]): Message {
  const problems = sections.flatMap(({ lines }) => lines).filter(isProblem).length;
  const title = problems === 0 ? 'No problems' : pluralize(problems, 'problem');
  const room = MOST_BLOCKS - 2;
  const blocks = sections.flatMap(drawSection);
  const end = blocks.length > room && context('Not everything fits. The most serious problem comes first.');
  return { text: title, blocks: compact([header(title), ...blocks.slice(0, room), end]) };
}

function drawSection({ title, summary, lines, maxLines = lines.length, more }: HealthSection): Block[] {
  if (lines.length === 0) return [];
  return compact([
    title !== '' && summary === undefined && header(title),
    summary !== undefined && markup(`*${title}* · ${summary}`),
    ...lines.slice(0, maxLines).flatMap(drawLine),
    more && actions(more),
  ]);
}

/** Slack allows one element beside a text, so a button and a menu together go below the text. */
function drawLine({ text: [what = '', how, ...rest], fix, menu }: HealthLine): Block[] {
  const line = markup([how === undefined ? what : `${what} · ${how}`, ...rest].join('\n'));
  if (fix !== undefined && menu !== undefined) return [line, actions(fix, menu)];
  const accessory = fix ?? menu;
  return [{ ...line, ...(accessory && { accessory }) }];
}
