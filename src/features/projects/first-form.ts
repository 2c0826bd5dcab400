import type { InputBlock, ModalView } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { CONNECT_TITLE, connectedBlocks } from '../../slack/commands/tested-connection.ts';
import { actions, type Block, button, header, markup, option, section } from '../../slack/kit/atoms.ts';
import { choiceInput, modal, textInput } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  encodeFirstProjects,
  FIRST_FIELDS,
  type FirstProjects,
  type MorningPost,
  type Unnamed,
} from './first-words.ts';

export const FIRST_VIEW = 'first-projects';

interface Shown {
  /** What became of the last press or submission, in sentences. */
  readonly notes: readonly string[];
  /** The post about the tested project; undefined where none can be offered. */
  readonly post: MorningPost | undefined;
}

/** The view after a connection was saved: the first figure, the post every morning, and names. */
export function firstProjectsView(state: FirstProjects, request: Request, { notes, post }: Shown): ModalView {
  const blocks = connectedBlocks<Block | InputBlock>(state, request, [
    ...(notes.length === 0 ? [] : [section(notes.join('\n'))]),
    ...(post === undefined ? [] : postBlocks(post, state)),
    ...(state.asks ? nameInputs(state) : [markup(tryText(state, request))]),
  ]);
  return modal({
    ...{ callback: FIRST_VIEW, metadata: encodeFirstProjects(state), title: CONNECT_TITLE, blocks },
    ...(state.asks && { submit: 'Save names', close: 'Not now' }),
  });
}

function tryText({ project }: FirstProjects, { workspace }: Request): string {
  const word = workspace.projects.find(({ id }) => id === project)?.alias ?? project;
  return `Now try \`${commandText('/balance')} ${word}\` and \`${commandText('/spend')} ${word} last-7-days\`.`;
}

function postBlocks(
  { id, text, isPossible }: MorningPost,
  { project, products: [product] }: FirstProjects,
): Block[] {
  if (id !== undefined)
    return [
      markup(text),
      actions(
        button('first-undo', 'Undo', { value: id }),
        button('schedule-row:edit', 'Edit…', { value: `edit ${id}` }),
      ),
    ];
  const elsewhere = commandButton('schedule', 'Choose a channel…', {
    command: '/billing schedule',
    text: [project, product && PRODUCTS[product].word].filter(Boolean).join(' '),
  });
  const here = isPossible ? [button('first-post', 'Post it here every morning', { style: 'primary' })] : [];
  return [markup(text), actions(...here, ...elsewhere)];
}

const nameInputs = ({ unnamed, round }: FirstProjects): (Block | InputBlock)[] => [
  header('Name your projects'),
  ...unnamed.flatMap(unnamedInputs),
  textInput({
    block: FIRST_FIELDS.more(round),
    label: 'More projects',
    hint: 'An ID and a name each. Tally finds out their products.',
    placeholder: '456 staging, 789 archive',
    max: 1000,
    optional: true,
  }),
];

const unnamedInputs = ({ id, alias, products }: Unnamed): InputBlock[] => [
  ...(alias === ''
    ? [
        textInput({
          block: FIRST_FIELDS.alias(id),
          label: `Name of project ${id}`,
          hint: 'People type it instead of the ID. 2 to 32 letters, digits and hyphens.',
          placeholder: 'prod',
          max: 64,
          optional: true,
        }),
      ]
    : []),
  ...(products.length === 1
    ? []
    : [
        choiceInput({
          block: FIRST_FIELDS.product(id),
          label: `Product of ${alias === '' ? `project ${id}` : `${alias} (project ${id})`}`,
          options: products.map((product) => option(PRODUCTS[product].name, String(product))),
          optional: true,
        }),
      ]),
];
