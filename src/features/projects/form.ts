import type { InputBlock, ModalView } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { MAX_CURRENCY_LENGTH } from '../../domain/money/amount.ts';
import { DEFAULT_PRODUCT } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import {
  actions,
  type Block,
  button,
  context,
  header,
  markup,
  option,
  plainText,
  section,
} from '../../slack/kit/blocks.ts';
import { choiceInput, input, modal, productInput, textInput } from '../../slack/kit/modal.ts';
import { type Stops, warningBlocks } from '../../slack/owned/change-impact.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { DEFAULT_CONNECTION, encodeProjectMetadata, MOST_CHANNELS, type ProjectFormInput } from './parse.ts';

export interface ProjectFormOptions {
  /** The alias of the project that is changed; '' for a new one. */
  readonly before: string;
  readonly filled: ProjectFormInput;
  readonly problem?: string | undefined;
  /** What saving it stops, with the digest of that. */
  readonly warning?: Stops;
  /** Whether the fields under More are shown; so they are if one of them says something, or may be the problem. */
  readonly isExpanded?: boolean;
}

/** The owner is the person who asks, unless the form names another. */
export function projectForm(
  { workspace, user }: Request,
  { before, filled, problem, warning, isExpanded: isWanted = false }: ProjectFormOptions,
): ModalView {
  const { connection, currency = '', channels = [] } = filled;
  const isExpanded =
    isWanted ||
    problem !== undefined ||
    warning !== undefined ||
    connection !== undefined ||
    currency !== '' ||
    channels.length > 0;
  const owner = filled.owner ?? user.id;
  return modal({
    callback: 'project',
    metadata: encodeProjectMetadata({
      before,
      hidden: isExpanded ? {} : { owner },
      ...(warning && { warned: warning.digest }),
    }),
    title: before === '' ? 'Add a project' : 'Edit a project',
    submit: 'Save',
    blocks: [
      problem !== undefined && section(problem),
      ...(warning === undefined ? [] : warningBlocks(warning)),
      textInput({
        block: 'alias',
        label: 'Name',
        hint: 'People type it instead of the ID. 2 to 32 letters, digits and hyphens.',
        placeholder: 'prod',
        initial: filled.alias,
        max: 64,
      }),
      textInput({
        block: 'id',
        label: 'Project ID',
        hint: 'In the console: Cloud servers → your project → project card.',
        placeholder: '123',
        initial: filled.id,
        max: 64,
      }),
      productInput(String(filled.product ?? DEFAULT_PRODUCT)),
      ...(isExpanded ? moreInputs(workspace, filled, owner) : [actions(button('project-more', 'More…'))]),
    ],
  });
}

const moreInputs = (record: Workspace, filled: ProjectFormInput, owner: SlackId): (Block | InputBlock)[] => [
  header('More'),
  ...connectionInput(record, filled.connection),
  textInput({
    block: 'currency',
    label: 'Currency label',
    hint: 'Shown next to amounts, instead of the workspace’s label.',
    placeholder: 'EUR',
    initial: filled.currency,
    max: MAX_CURRENCY_LENGTH,
    optional: true,
  }),
  channelsInput(filled.channels ?? []),
  ownerInput(owner),
];

/** The default one first; if nothing is registered there is nothing to choose. */
function connectionInput(record: Workspace, chosen: string = DEFAULT_CONNECTION): InputBlock[] {
  const { connectionNames: names, defaultConnection: current } = record;
  if (names.length === 0) return [];
  const first = current === undefined ? 'Default' : `Default (${current})`;
  return [
    choiceInput({
      block: 'connection',
      label: 'Connection',
      hint: 'Which account to use.',
      options: [option(first, DEFAULT_CONNECTION), ...names.map((name) => option(name, name))],
      initial: chosen,
    }),
  ];
}

const channelsInput = (channels: readonly SlackId[]): InputBlock =>
  input(
    {
      block: 'channels',
      label: 'Only in these channels',
      hint: 'People can ask about this project only there. Leave empty for everywhere. Managers can ask anywhere.',
      optional: true,
    },
    {
      type: 'multi_conversations_select',
      placeholder: plainText('Everywhere'),
      filter: { include: ['public', 'private'] },
      max_selected_items: MOST_CHANNELS,
      ...(channels.length > 0 && { initial_conversations: [...channels] }),
    },
  );

const ownerInput = (owner: SlackId): InputBlock =>
  input(
    { block: 'owner', label: 'Owner', hint: 'The person responsible for what this project spends.' },
    { type: 'users_select', initial_user: owner },
  );

export const PROJECTS_TITLE = 'Projects';

/** @param details our own words and escaped ones */
export function savedBlocks(
  alias: string,
  happened: string,
  details: string,
  stops: readonly Block[],
): Block[] {
  return [
    header(alias),
    section(happened),
    ...stops,
    markup(
      `Now try \`${commandText('/balance')} ${alias}\` and \`${commandText('/spend')} ${alias} last-7-days\`.`,
    ),
    context(details),
  ];
}
