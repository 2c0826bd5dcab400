import type { InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { normalizeText } from '../../domain/language/text.ts';
import { CURRENCY_RULE, isCurrencyLabel, MAX_CURRENCY_LENGTH } from '../../domain/money/amount.ts';
import { DEFAULT_PRODUCT, isProductId, isProjectId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { FIELDS } from '../../redis/keys.ts';
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
import { choiceInput, input, productInput, textInput } from '../../slack/kit/inputs.ts';
import { modal } from '../../slack/kit/modal.ts';
import { usersText } from '../../slack/owned/owned-kind.ts';
import {
  errorsOfShownFields,
  type FormFields,
  type ParsedForm,
  selectedValues,
} from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import { isSameProject } from '../../workspace/projects/chosen-project.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { stampOf } from '../../workspace/record/change.ts';
import { isChannel, isPerson, tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { alteredAlias, type ProjectFormInput, validateAlias } from './parse.ts';

export interface ProjectFormOptions {
  /** The alias of the project that is changed; '' for a new one. */
  readonly before: string;
  /** The stamp of its record when the form was opened, if the form is drawn again before it is saved. */
  readonly seen?: string | undefined;
  readonly filled: ProjectFormInput;
  /** Our own words and escaped ones. */
  readonly problem?: string | undefined;
  /** Whether the fields under More are shown; so they are if one of them says something, or may be the problem. */
  readonly isExpanded?: boolean;
}

/** The owner is the person who asks, unless the form names another. */
export function projectForm(
  { workspace, user }: Request,
  { before, seen, filled, problem, isExpanded: isWanted = false }: ProjectFormOptions,
): ModalView {
  const { connection, currency = '', channels = [] } = filled;
  const isExpanded =
    isWanted || problem !== undefined || connection !== undefined || currency !== '' || channels.length > 0;
  const owner = filled.owner ?? user.id;
  const known = workspace.projects.find(({ alias }) => alias === before);
  const users = known && usersText(workspace, (project) => isSameProject(project, known));
  return modal({
    callback: 'project',
    metadata: encodeProjectMetadata({
      before,
      seen: seen ?? projectStamp(workspace, before),
      hidden: isExpanded ? {} : { owner },
    }),
    title: before === '' ? 'Add a project' : 'Edit a project',
    submit: 'Save',
    blocks: [
      problem !== undefined && markup(problem),
      users !== undefined && context(users),
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
export function savedBlocks(alias: string, happened: string, details: string, isConnected: boolean): Block[] {
  const balance = `\`${commandText('/balance')} ${alias}\``;
  const tries = isConnected
    ? `${balance} and \`${commandText('/spend')} ${alias} last-7-days\``
    : `\`${commandText('/billing connect')}\`, then ${balance}`;
  return [header(alias), section(happened), markup(`Now try ${tries}.`), context(details)];
}

/** What the form says, once every field is right by itself. `before` is the alias it was opened for; '' for a new one. */
export interface ProjectForm extends Omit<Project, 'addedBy' | 'addedAt'> {
  readonly before: string;
  /** The stamp of its record when the form was opened; '' for a form of an earlier version. */
  readonly seen: string;
}

/** Bounds the record, which every command reads whole. */
const MOST_CHANNELS = 50;
/** Stands for the workspace's default connection; no connection can have this name. */
const DEFAULT_CONNECTION = '*';

/** The form's metadata: the project it changes, and the values of hidden fields. */
const projectMetadata = z.object({
  before: z.string().default(''),
  seen: z.string().default(''),
  hidden: z.record(z.string(), z.string()).default({}),
});

export const projectStamp = (workspace: Workspace, alias: string): string =>
  stampOf(workspace, FIELDS.project + alias);

const encodeProjectMetadata = (metadata: z.input<typeof projectMetadata>): string => JSON.stringify(metadata);

/** @returns a new project's metadata if the text is invalid */
export const decodeProjectMetadata = (metadata: string) =>
  tryParseRecord(projectMetadata, metadata) ?? projectMetadata.parse({});

/** What the form shows again after **More…**. */
export function projectFormState(sent: FormFields, metadata: string): ProjectFormInput {
  const { alias, id } = sent;
  const product = Number(sent.product);
  const { owner } = decodeProjectMetadata(metadata).hidden;
  return withoutUndefined({ alias, id, product: isProductId(product) ? product : undefined, owner });
}

export function parseProjectForm(
  sent: FormFields,
  metadata: string,
  verbs: readonly string[],
): ParsedForm<ProjectForm> {
  const { before, seen, hidden } = decodeProjectMetadata(metadata);
  const fields = { ...hidden, ...sent };
  const typed = fields.alias ?? '';
  const alias = normalizeText(typed);
  const { id = '', connection = DEFAULT_CONNECTION, currency = '', owner = '' } = fields;
  const product = Number(fields.product);
  const channels = selectedValues(fields.channels);
  const errors = withoutUndefined({
    alias: validateAlias(alias, verbs) ?? alteredAlias(typed, alias),
    id: isProjectId(id)
      ? undefined
      : 'A project ID has 1 to 32 digits and doesn’t begin with a zero, for example 123.',
    product: isProductId(product) ? undefined : 'Choose the project’s product.',
    currency: isCurrencyLabel(currency) ? undefined : CURRENCY_RULE,
    channels:
      channels.length <= MOST_CHANNELS && channels.every(isChannel)
        ? undefined
        : `Choose up to ${MOST_CHANNELS} channels. Direct messages can’t be chosen.`,
    owner: isPerson(owner) ? undefined : 'Choose a person.',
  });
  if (Object.keys(errors).length > 0 || !isProductId(product))
    return { errors: errorsOfShownFields(errors, sent, ['alias', 'id', 'product']) };
  const chosen = connection === '' || connection === DEFAULT_CONNECTION ? {} : { connection };
  const label = currency === '' ? {} : { currency };
  return { input: { before, seen, alias, id, product, ...chosen, ...label, channels, owner } };
}
