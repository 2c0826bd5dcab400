/** Help pages, with examples as buttons. */
import type { Button } from '@slack/types';
import { PRODUCT_WORDS } from '../../domain/billing-products.ts';
import { isDirectMessage } from '../../domain/slack-id.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { canAskAbout, type ProjectScope, visibleProjects } from '../../workspace/projects/project-scope.ts';
import { findConnection } from '../../workspace/record/workspace.ts';
import {
  type Block,
  button,
  buttonRow,
  context,
  escapeMarkup,
  header,
  type Message,
  markup,
} from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';
import { type Command, commandButton, commandLine, toCommand } from './command-buttons.ts';

export interface HelpLine {
  readonly usage: string;
  readonly what: string;
  /** The text in the short `/billing help`. A line without it appears under **More…**. */
  readonly short?: string;
  readonly examples?: readonly string[];
  readonly right?: 'member' | 'manage';
}

export const PERIOD_EXAMPLES = {
  order: 'Words come in any order.',
  periods:
    'Periods: yesterday, last-week, last-4-weeks, mtd, q3, 2026-10, 2026-10-01..2026-10-15, since october.',
  products: `Products: ${PRODUCT_WORDS}.`,
} as const;

/** Examples are buttons if the reader can ask about a project. @param small the text of the last line */
export function helpMessage(
  title: string,
  lines: readonly HelpLine[],
  small?: string,
  reader?: Reader,
): Message {
  const project = reader && askableProject(reader);
  const blocks: Block[] = lines.flatMap(({ usage, what, examples = [] }, line): Block[] => {
    const known = examples.filter((example) => example.startsWith('/') && !example.includes(' add '));
    const buttons = (project === undefined ? [] : known).map((example, at) => {
      const typed = example.replace(/ (?:prod|123)(?![\w-])/, ` ${project}`);
      return runButton(`${line}-${at}`, typed, typed);
    });
    const tries = buttons.length > 0 ? '' : examples.map((example) => `\`${example}\``).join(' · ');
    return [
      markup([`\`${usage}\``, escapeMarkup(what), tries].filter(Boolean).join('\n')),
      ...buttonRow(buttons),
    ];
  });
  const end = small === undefined ? [] : [context(escapeMarkup(small))];
  return {
    text: `${title}: ${lines.map(({ usage }) => usage).join(', ')}`,
    blocks: [header(title), ...blocks, ...end],
  };
}

/** The answer appears below the message, which stays. */
const runButton = (id: string, label: string, line: string): Button =>
  button(`run:example-${id}`, label, { value: line });

export function shortHelpMessage(
  title: string,
  examples: readonly (string | Button)[],
  lines: readonly HelpLine[],
  end: Block,
): Message {
  const uses = lines.map(({ usage, what }) => `\`${usage}\` ${escapeMarkup(what)}`);
  const buttons = examples.map((one, at) =>
    typeof one === 'string' ? runButton(String(at), one, one) : one,
  );
  return {
    text: `${title}: ${lines.map(({ usage }) => usage).join(', ')}`,
    blocks: [header(title), ...buttonRow(buttons), markup(uses.join('\n')), end],
  };
}

/** @param examples plain text, which may contain a project's name */
export const exampleMarkup = (examples: readonly string[]): string =>
  `Try ${examples.map((example) => `\`${escapeMarkup(example)}\``).join(' · ')}`;

export const ALL_COMMANDS = commandButton('help', 'All commands', toCommand('/billing help', 'more'));

type Reader = Pick<Request, 'workspace'> & ProjectScope;

const questionsAbout = (project: string): readonly (readonly [question: string, command: Command])[] => [
  [`how much did ${project} spend last week?`, { command: '/spend', text: `${project} last-week` }],
  [`why did ${project} cost more last month?`, { command: '/spend', text: `${project} last-month why` }],
  [`what’s left on ${project}?`, { command: '/balance', text: project }],
];

/** Until a project has a name, Tally knows only the project with which the default connection was tested. */
export function testedProject(workspace: Request['workspace']) {
  return workspace.connectionNames.length > 0 ? findConnection(workspace)?.test : undefined;
}

/** The channel's default project, the tested project, or else the first that the reader can ask about. */
function askableProject(reader: Reader): string | undefined {
  const { workspace, channel } = reader;
  const named = visibleProjects(workspace, reader);
  const tested = tryParse(() => testedProject(workspace));
  const usual =
    named.find(({ alias }) => channel !== undefined && alias === workspace.channelDefault(channel)) ??
    named.find(({ id }) => id === tested?.project) ??
    named[0];
  if (usual !== undefined) return usual.alias;
  const isOpen = tested && canAskAbout({ id: tested.project, product: tested.product }, workspace, reader);
  return isOpen ? tested.project : undefined;
}

export function exampleQuestions(reader: Reader): readonly string[] {
  const isChannel = reader.channel !== undefined && !isDirectMessage(reader.channel);
  return questionsAbout(askableProject(reader) ?? '123').map(([question]) =>
    isChannel ? `@Tally ${question}` : question,
  );
}

export function exampleButtons(reader: Reader): Button[] {
  const project = askableProject(reader);
  return (project === undefined ? [] : questionsAbout(project)).map(([question, command], at) =>
    runButton(String(at), question.charAt(0).toUpperCase() + question.slice(1), commandLine(command)),
  );
}
