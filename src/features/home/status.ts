import { Failure, isFailure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { pluralize } from '../../domain/wording.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import {
  actions,
  type Block,
  compact,
  context,
  formatInstant,
  header,
  instant,
  type Message,
  markup,
  section,
} from '../../slack/kit/blocks.ts';
import { failureFacts } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { CommandHandler } from '../../slack/server/listeners.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findConnection } from '../../workspace/record/workspace.ts';
import type { HealthLine, HealthSection, Services } from '../feature.ts';
import { isNeedy, isProblem, loadHealth } from './health.ts';

/** `/billing status`, and after it what the menu of a connection does: `test main`, `default main`. */
export function createStatusCommand({
  workspaces,
  billing,
  limits,
  answerStore,
  all,
}: Services): CommandHandler {
  /** @param notice what was just done */
  const show = async (request: Request, notice: readonly Block[] = []): Promise<void> => {
    const sections = await loadHealth(all.health(), request);
    await request.reply.update(statusPage(sections, request, notice));
  };

  /** Asks for a balance to check that the token can be decrypted, is accepted, and that its project has data. */
  const test = async (name: string, request: Request): Promise<readonly Block[]> => {
    const { user, workspace, at } = request;
    const connection = findConnection(workspace, name);
    if (connection?.test === undefined) throw new Failure('connection-missing', { connection: name });
    const { project, product } = connection.test;
    try {
      limits.demand('tests', { teamId: user.teamId, userId: user.id });
      const { baseUrl } = connection;
      const token = connection.token();
      const access = { workspace: workspace.teamId, connection: name, baseUrl, token };
      await billing.balance(access, connection.test);
      await answerStore.save(workspace, { connection: name, at });
      return [section(`${name}: the test passed. The token works, and project ${project} has data.`)];
    } catch (error) {
      if (isFailure(error, 'no-data'))
        return [
          section(
            `${name}: the token works, but there is no ${PRODUCTS[product].name} data for project ${project}.`,
          ),
        ];
      if (!isFailure(error)) throw error;
      return failureFacts(error, request);
    }
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

  const read = (text: string) => {
    const [, what, name = ''] = /^(test|default) (\S+)$/.exec(text) ?? [];
    return { what, name };
  };
  return {
    right: 'ask',
    needs(text) {
      const { what } = read(text);
      return what === undefined ? {} : { right: 'manage', changes: what === 'default' };
    },
    parse: (text) => (read(text).what === undefined ? refuseExtraWords(text, 'status') : undefined),
    async run(text, request) {
      const { what, name } = read(text);
      if (what === 'default') return makeDefault(name, request);
      if (what === 'test') return show(request, await test(name, request));
      refuseExtraWords(text, 'status');
      await show(request);
    },
  };
}

const MOST_BLOCKS = 50;

/** How many problems there are, then the sections, the worst first; where that is too much, only what somebody is needed for. */
function statusPage(
  sections: readonly HealthSection[],
  { workspace, at }: Request,
  notice: readonly Block[],
): Message {
  const problems = sections.flatMap(({ lines }) => lines).filter(isProblem).length;
  const title = problems === 0 ? 'Tally works' : `${pluralize(problems, 'problem')} to look at`;
  const room = MOST_BLOCKS - 2 - notice.length;
  const whole = sections.flatMap((one) => drawSection(one));
  const urgent = () => sections.flatMap((one) => drawSection({ ...one, lines: one.lines.filter(isNeedy) }));
  const isCut = whole.length > room;
  const used = workspace.connectionNames.flatMap((name) => workspace.lastUsed(name) ?? []);
  const end = compact([
    isCut && 'Not everything fits here; what works is left out first',
    used.length > 0 && `Last answer from billing: ${formatInstant(Math.max(...used))}`,
    `As of ${instant(at)}`,
  ]).join(' · ');
  return {
    text: title,
    blocks: [...notice, header(title), ...(isCut ? urgent() : whole).slice(0, room), context(end)],
  };
}

/** Lines without a button share a block. */
function drawSection({ title, summary, lines, most = lines.length, more }: HealthSection): Block[] {
  const shown = lines.slice(0, most);
  const cut = lines.length - shown.length;
  if (shown.length === 0) return [];
  const texts = shown.map((line) => ({ line, text: textOf(line) }));
  if (cut > 0 && more === undefined)
    texts.push({ line: { level: 'fine', text: [] }, text: `and ${cut} more` });
  const blocks: Block[] = [];
  let plain: string[] = [];
  const flush = () => {
    if (plain.length > 0) blocks.push(markup(plain.join('\n')));
    plain = [];
  };
  for (const { line, text } of texts)
    if (line.fix === undefined && line.menu === undefined) plain.push(text);
    else {
      flush();
      blocks.push(...drawLine(line, text));
    }
  flush();
  return compact([
    title !== '' && summary === undefined && header(title),
    summary !== undefined && markup(`*${title}* · ${summary}`),
    ...blocks,
    more && actions(more),
  ]);
}

const textOf = ({ text: [what = '', how, ...rest] }: HealthLine): string =>
  [how === undefined ? what : `${what} · ${how}`, ...rest].join('\n');

/** The button beside its line; with a menu below it, first what mends it. */
function drawLine({ fix, menu }: HealthLine, text: string): Block[] {
  const accessory = menu === undefined ? fix : fix === undefined ? menu : undefined;
  return accessory === undefined ? [markup(text), actions(fix, menu)] : [{ ...markup(text), accessory }];
}
