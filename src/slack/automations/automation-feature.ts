/** The commands and buttons with which people create, list, edit, pause, resume and delete schedules or watches. */
import { Failure } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import { button } from '../block-kit/blocks.ts';
import { type HelpLine, helpMessage } from '../commands/help.ts';
import { parsePage } from '../commands/subcommands.ts';
import type { Request } from '../request/request.ts';
import {
  type ActionHandler,
  type CommandHandler,
  type HandlerRules,
  type Handlers,
  lookUp,
  onClick,
} from '../server/handlers.ts';
import {
  type Automation,
  type AutomationAction,
  type AutomationKind,
  canReadAutomation,
  changeAutomation,
  deletedText,
  pluralOf,
  requireAutomation,
} from './automation.ts';
import { findItemProblem } from './automation-form.ts';
import { automationHealth, showAutomations } from './automation-list.ts';

interface AutomationFeature<T extends Automation, Words> {
  readonly kind: AutomationKind<T>;
  readonly form: {
    readonly handlers: Pick<Required<Handlers>, 'actions' | 'options' | 'views'>;
    readonly openNew: (words: Words, request: Request) => Promise<void>;
    readonly openFor: AutomationAction<T>;
  };
  readonly help: readonly HelpLine[];
  /** The last line of the help page. */
  readonly small: string;
  /** Parses the words of the command that opens the form. @throws InvalidWord, secret-pasted */
  readonly parse: (text: string, context: ParseContext) => Words;
}

export function createAutomationFeature<T extends Automation, Words>(feature: AutomationFeature<T, Words>) {
  const { kind, form, parse } = feature;
  const help = (request: Request) => helpMessage(kind.words.title, feature.help, feature.small, request);
  const ownerActions = { ...sharedActions(kind, form.openFor), ...kind.actions };
  const contextOf = ({ workspace, at }: Request) => parseContextOf(workspace, at);

  const needsOf = (action: string): Partial<HandlerRules> =>
    action === 'edit' ? { opensForm: true } : { changes: true };
  /**
   * `action` and `id` are untrusted. @throws not-allowed unless the user owns the schedule or watch, or manages Tally
   */
  async function act(action: string, id: string, request: Request): Promise<void> {
    const item = requireAutomation(kind, id, request, action);
    if (item === undefined) return showAutomations(kind, request, { notice: deletedText(kind) });
    await lookUp<AutomationAction<T>>(ownerActions, action)?.(item, request);
  }
  const creating: CommandHandler = {
    right: 'member',
    help,
    opensForm: true,
    parse: (rest, _, context) => parse(rest, context),
    run: (rest, request) => form.openNew(parse(rest, contextOf(request)), request),
  };
  /** **Ask a manager** passes on a menu action as a command, such as `/billing schedules pause abcd1234`. */
  const readAction = (text: string) => {
    const [, action = '', id = ''] = /^([a-z]+) ([a-z0-9]{8})$/.exec(text) ?? [];
    return Object.hasOwn(ownerActions, action) ? { action, id } : undefined;
  };
  const listing: CommandHandler = {
    right: 'member',
    help,
    needs(text) {
      const asked = readAction(text);
      return asked === undefined ? {} : needsOf(asked.action);
    },
    parse: (text) => (readAction(text) === undefined ? parsePage(text, pluralOf(kind)) : undefined),
    run(text, request) {
      const asked = readAction(text);
      return asked === undefined
        ? showAutomations(kind, request, { page: parsePage(text, pluralOf(kind)) })
        : act(asked.action, asked.id, request);
    },
  };
  const row: ActionHandler = {
    right: 'member',
    needs: (value) => needsOf(value.split(' ')[0] ?? ''),
    run({ value }, request) {
      const [action = '', id = ''] = value.split(' ');
      return act(action, id, request);
    },
  };
  return {
    ...form.handlers,
    help: feature.help,
    health: (viewer: Request) => automationHealth(kind, viewer),
    verbs: { [kind.noun]: creating, [pluralOf(kind)]: listing },
    actions: {
      ...form.handlers.actions,
      [`${kind.noun}-row`]: row,
      [`${kind.noun}-list`]: onClick('member', {}, (_, request) => showAutomations(kind, request)),
    },
  };
}

const sharedActions = <T extends Automation>(
  kind: AutomationKind<T>,
  edit: AutomationAction<T>,
): Readonly<Record<string, AutomationAction<T>>> => ({
  async edit(item, request) {
    if (!canReadAutomation(item, request)) throw new Failure('not-allowed', { reason: 'channel' });
    await edit(item, request);
  },
  async pause({ id }, request) {
    const paused = { at: request.at, by: request.user.id };
    await changeAutomation(kind, id, request, 'paused', (item) =>
      item.paused === undefined ? { save: { ...item, paused } } : undefined,
    );
    await showAutomations(kind, request, { notice: kind.words.paused });
  },
  async resume(item, request) {
    const problem = await findItemProblem(item, request);
    if (problem !== undefined)
      return showAutomations(kind, request, { notice: `${problem} The ${kind.noun} is still paused.` });
    await changeAutomation(kind, item.id, request, 'resumed', (now) =>
      now.paused === undefined ? undefined : { save: kind.resumed(now, request) },
    );
    await showAutomations(kind, request, { notice: kind.words.resumed });
  },
  delete: (item, request) =>
    showAutomations(kind, request, {
      notice: `Delete ${nameOf(kind, item, request)}? This can’t be undone.`,
      buttons: [
        button(`${kind.noun}-row:remove`, 'Delete', { style: 'danger', value: `remove ${item.id}` }),
        button(`${kind.noun}-list`, 'Keep'),
      ],
    }),
  async remove(item, request) {
    await changeAutomation(kind, item.id, request, 'deleted', () => 'remove');
    await showAutomations(kind, request, { notice: `Deleted ${nameOf(kind, item, request)}.` });
  },
});

/** Owners who may no longer see the projects don't see the name of any project. */
const nameOf = <T extends Automation>(kind: AutomationKind<T>, item: T, request: Request): string =>
  canReadAutomation(item, request) ? kind.words.summary(item, request) : `the ${kind.noun}`;
