import { Failure } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  actions,
  type Block,
  compact,
  context,
  formatInstant,
  header,
  type Message,
  markup,
} from '../../slack/block-kit/blocks.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import type { CommandHandler } from '../../slack/server/listeners.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import type { HealthLine, HealthSection, Services } from '../feature.ts';
import { isNeedy, isProblem, loadHealth } from './health.ts';

/** `/billing status`, and after it what the menu of a connection does: `default main`. */
export function createStatusCommand({ workspaces, all }: Services): CommandHandler {
  const show = async (request: Request): Promise<void> => {
    const sections = await loadHealth(all.health(), request);
    await request.reply.update(statusPage(sections, request));
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

/** How many problems there are, then the sections, the worst first; where that is too much, only what somebody is needed for. */
function statusPage(sections: readonly HealthSection[], { workspace }: Request): Message {
  const problems = sections.flatMap(({ lines }) => lines).filter(isProblem).length;
  const title = problems === 0 ? 'Tally works' : `${pluralize(problems, 'problem')} to look at`;
  const room = MOST_BLOCKS - 2;
  const whole = sections.flatMap((one) => drawSection(one));
  const urgent = () => sections.flatMap((one) => drawSection({ ...one, lines: one.lines.filter(isNeedy) }));
  const isCut = whole.length > room;
  const used = workspace.connectionNames.flatMap((name) => workspace.lastUsed(name) ?? []);
  const end = compact([
    isCut && 'Not everything fits here; what works is left out first',
    used.length > 0 && `Last answer from billing: ${formatInstant(Math.max(...used))}`,
  ]).join(' · ');
  return {
    text: title,
    blocks: compact([
      header(title),
      ...(isCut ? urgent() : whole).slice(0, room),
      end !== '' && context(end),
    ]),
  };
}

/** Lines without a button share a block. */
function drawSection({ title, summary, lines, most = lines.length, more }: HealthSection): Block[] {
  if (lines.length === 0 || most === 0) return [];
  const shown = lines.slice(0, most);
  const cut = lines.length - shown.length;
  const isPlain = ({ fix, menu }: HealthLine) => fix === undefined && menu === undefined;
  const blocks: Block[] = [];
  let plain: string[] = [];
  for (const line of [...shown, undefined]) {
    if (line !== undefined && isPlain(line)) {
      plain.push(textOf(line));
      continue;
    }
    if (plain.length > 0) blocks.push(markup(plain.join('\n')));
    plain = [];
    if (line !== undefined) blocks.push(...drawLine(line));
  }
  return compact([
    title !== '' && summary === undefined && header(title),
    summary !== undefined && markup(`*${title}* · ${summary}`),
    ...blocks,
    cut > 0 && more === undefined && markup(`and ${cut} more`),
    more && actions(more),
  ]);
}

const textOf = ({ text: [what = '', how, ...rest] }: HealthLine): string =>
  [how === undefined ? what : `${what} · ${how}`, ...rest].join('\n');

/** The button beside its line; with a menu below it, first what mends it. */
function drawLine(line: HealthLine): Block[] {
  const { fix, menu } = line;
  const text = textOf(line);
  const accessory = menu === undefined ? fix : fix === undefined ? menu : undefined;
  return accessory === undefined ? [markup(text), actions(fix, menu)] : [{ ...markup(text), accessory }];
}
