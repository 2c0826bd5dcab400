import type { InputBlock, ModalView } from '@slack/types';
import { LONGEST_CURRENCY } from '../../domain/money.ts';
import { DEFAULT_PRODUCT, PRODUCT_IDS, PRODUCTS } from '../../domain/product.ts';
import { type Block, context, header, markup, option, plain, section } from '../../slack/kit/atoms.ts';
import { choiceInput, modal, textInput } from '../../slack/kit/modal.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { DEFAULT_CONNECTION, type Filled, MOST_CHANNELS } from './words.ts';

export interface FormOptions {
  /** The alias of the project that is changed; '' for a new one. */
  readonly before: string;
  readonly filled: Filled;
  /** Who owns it unless the form says otherwise. */
  readonly owner: string;
  /** Why what was sent could not be saved. */
  readonly problem?: string;
}

export function projectForm(
  record: WorkspaceRecord,
  { before, filled, owner, problem }: FormOptions,
): ModalView {
  return modal({
    callback: 'project',
    metadata: before,
    title: titleOf(before),
    submit: 'Save',
    close: 'Cancel',
    blocks: [
      ...(problem === undefined ? [] : [section(problem)]),
      textInput({
        block: 'alias',
        label: 'Name',
        hint: '2 to 32 letters, digits and hyphens. People type it in place of the ID.',
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
      choiceInput({
        block: 'product',
        label: 'Product',
        hint: 'Projects under Cloud servers belong to the cloud platform.',
        options: PRODUCT_IDS.map((id) => option(`${PRODUCTS[id].name} (${id})`, String(id))),
        initial: String(filled.product ?? DEFAULT_PRODUCT),
      }),
      ...connectionInput(record, filled.connection),
      optional(
        textInput({
          block: 'currency',
          label: 'Currency label',
          hint: 'Stands beside amounts, in place of the workspace’s. The billing service names no currency.',
          placeholder: 'EUR',
          initial: filled.currency,
          max: LONGEST_CURRENCY,
        }),
      ),
      optional(channelsInput(filled.channels ?? [])),
      ownerInput(filled.owner ?? owner),
    ],
  });
}

const titleOf = (before: string): string => (before === '' ? 'Add a project' : 'Edit a project');

const optional = (input: InputBlock): InputBlock => ({ ...input, optional: true });

/** The default one first; where nothing is registered there is nothing to choose. */
function connectionInput(record: WorkspaceRecord, chosen: string = DEFAULT_CONNECTION): InputBlock[] {
  const { connectionNames: names, defaultConnection: current } = record;
  if (names.length === 0) return [];
  const first = current === undefined ? 'The default one' : `The default one, now ${current}`;
  return [
    choiceInput({
      block: 'connection',
      label: 'Connection',
      hint: 'The account that is asked.',
      options: [option(first, DEFAULT_CONNECTION), ...names.map((name) => option(name, name))],
      initial: chosen,
    }),
  ];
}

function channelsInput(channels: readonly string[]): InputBlock {
  return {
    type: 'input',
    block_id: 'channels',
    label: plain('Only in these channels'),
    hint: plain('Where it may be asked about. Leave it empty for everywhere. Managers may ask anywhere.'),
    element: {
      type: 'multi_conversations_select',
      action_id: 'value',
      placeholder: plain('Everywhere'),
      filter: { include: ['public', 'private'] },
      max_selected_items: MOST_CHANNELS,
      ...(channels.length > 0 && { initial_conversations: [...channels] }),
    },
  };
}

function ownerInput(owner: string): InputBlock {
  return {
    type: 'input',
    block_id: 'owner',
    label: plain('Owner'),
    hint: plain('Who answers for what it spends.'),
    element: { type: 'users_select', action_id: 'value', initial_user: owner },
  };
}

export const savingModal: ModalView = modal({ title: 'Projects', blocks: [section('Saving…')] });

export const closedModal = (blocks: readonly Block[]): ModalView => modal({ title: 'Projects', blocks });

/** @param details our own words and escaped ones */
export function savedBlocks(alias: string, happened: string, details: string): Block[] {
  return [
    header(alias),
    section(happened),
    markup(`Now try \`/balance ${alias}\` and \`/spend ${alias} last-7-days\`.`),
    context(details),
  ];
}
