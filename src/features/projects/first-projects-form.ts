import type { InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { quoteWord } from '../../domain/language/secret-detection.ts';
import { normalizeText } from '../../domain/language/text.ts';
import { isProjectId, PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Command, toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import {
  CONNECT_TITLE,
  connectedBlocks,
  type TestedConnection,
} from '../../slack/commands/connected-blocks.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  header,
  joinTexts,
  markup,
  option,
  section,
} from '../../slack/kit/blocks.ts';
import { choiceInput, textInput } from '../../slack/kit/inputs.ts';
import { modal } from '../../slack/kit/modal.ts';
import { errorsOfShownFields, type FormFields, type ParsedForm } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { parseProjectFields, validateAlias } from './parse.ts';

/** The post about a project in a channel every morning. */
export interface MorningPost {
  /** The schedule's, if there is one. */
  readonly id: string | undefined;
  /** What it is or would be, or why it can't be set up there: mrkdwn. */
  readonly text: string;
  /** Whether one press sets it up. */
  readonly isPossible: boolean;
}

/** @param channel '' for none; outside text */
export interface MorningPosts {
  find(project: ChosenProject, channel: SlackId, request: Request): Promise<MorningPost>;
  /** Does nothing where there is one. @returns why it could not be set up, in a sentence */
  create(project: ChosenProject, channel: SlackId, request: Request): Promise<string | undefined>;
  /** @throws NotAllowed except for its owner and managers */
  remove(id: string, request: Request): Promise<void>;
}

/** A project that has no name yet. */
export interface UnnamedProject {
  readonly id: string;
  /** '' until one is typed. */
  readonly alias: string;
  /** Those that have data for it; none until they were asked. */
  readonly products: readonly ProductId[];
}

/** The state of the form after Connect. */
export interface FirstProjects extends TestedConnection {
  /** Each with a field for its name or its product, whichever is missing. */
  readonly unnamed: readonly UnnamedProject[];
  readonly asks: boolean;
  readonly round: number;
  /** What the field for more projects begins with. */
  readonly typed: string;
}

/** Each is asked about under every product. */
const MOST_AT_ONCE = 10;

const products = z.array(z.literal(PRODUCT_IDS)).readonly();
const schema = z.object({
  connection: z.string(),
  channel: z.string(),
  title: z.string(),
  /** '' where none was tested. */
  project: z.string().refine((id) => id === '' || isProjectId(id)),
  products,
  lines: z.array(z.string()).readonly(),
  round: z.int(),
  asks: z.boolean(),
  typed: z.string().default(''),
  unnamed: z
    .array(z.object({ id: z.string().refine(isProjectId), alias: z.string(), products }))
    .max(MOST_AT_ONCE)
    .readonly(),
});

/** @returns undefined for what the form's metadata can't be */
export const decodeFirstProjects = (metadata: string): FirstProjects | undefined =>
  tryParseRecord(schema, metadata);

const FIRST_FIELDS = {
  alias: (id: string) => `alias-${id}`,
  product: (id: string) => `product-${id}`,
  /** Another one after each submission, because Slack keeps what was typed in the same one. */
  more: (round: number) => `more-${round}`,
} as const;

/** A submitted form: what to name, with the product where it was chosen or only one is possible. */
export interface FirstProjectsForm {
  readonly state: FirstProjects;
  readonly wanted: readonly UnnamedProject[];
}

/** The same names for a manager. */
export function firstProjectsCommand(wanted: readonly UnnamedProject[], connection: string): Command {
  const projects = wanted.map(({ id, alias, products: [product, ...others] }) =>
    joinTexts(' ', [id, alias, product !== undefined && others.length === 0 && PRODUCTS[product].word]),
  );
  return toCommand('/billing projects', `add ${projects.join(', ')} on ${connection}`);
}

/** @param verbs first words of commands */
export function parseFirstProjects(
  fields: FormFields,
  metadata: string,
  verbs: readonly string[],
): ParsedForm<FirstProjectsForm> {
  const state = decodeFirstProjects(metadata);
  const { alias: aliasOf, product: productOf } = FIRST_FIELDS;
  const more = FIRST_FIELDS.more(state?.round ?? 0);
  if (state === undefined)
    return { errors: { [more]: 'The form is out of date. Close it and open it again.' } };
  const errors: Record<string, string> = {};
  const wanted: UnnamedProject[] = [];
  const take = (block: string, entry: UnnamedProject): void => {
    const problem =
      validateAlias(entry.alias, verbs) ??
      (wanted.some(({ id, alias }) => id === entry.id || alias === entry.alias)
        ? 'List each project and each name once.'
        : undefined);
    if (problem === undefined) wanted.push(entry);
    else errors[block] = problem;
  };
  for (const { id, alias, products } of state.unnamed) {
    const name = normalizeText(alias === '' ? (fields[aliasOf(id)] ?? '') : alias);
    const chosen = products.filter((product) => String(product) === fields[productOf(id)]);
    if (name !== '') take(aliasOf(id), { id, alias: name, products: chosen.length > 0 ? chosen : products });
  }
  const entries = (fields[more] ?? '').split(/[,;\n]+/).map((entry) => normalizeText(entry));
  for (const entry of entries.filter(Boolean)) {
    const { id, alias, product } = parseProjectFields(entry.split(' '), entry.split(' ')).filled;
    if (id === undefined || alias === undefined)
      errors[more] =
        `I can’t read ${quoteWord(entry)}. Type an ID and a name for each: 123 prod, 456 staging.`;
    else take(more, { id, alias, products: product === undefined ? [] : [product] });
  }
  if (wanted.length > MOST_AT_ONCE) errors[more] = `Name up to ${MOST_AT_ONCE} projects at a time.`;
  const [first = more] = Object.keys(fields);
  if (wanted.length === 0 && Object.keys(errors).length === 0) errors[first] = 'Type a name first.';
  if (Object.keys(errors).length === 0) return { input: { state, wanted } };
  return { errors: errorsOfShownFields(errors, fields, [first]) };
}

export const FIRST_VIEW = 'first-projects';

/**
 * The view after a connection was saved: the first figure, the post every morning, and names; without a tested connection
 * it only asks for names.
 * @param notes what became of the last press or submission, in sentences
 * @param post about the tested project; undefined where none can be offered
 */
export function firstProjectsView(
  state: FirstProjects,
  request: Request,
  notes: readonly string[],
  post: MorningPost | undefined,
): ModalView {
  const { project, asks, unnamed, connection } = state;
  const { projects, defaultConnection } = request.workspace;
  const isTested = project !== '';
  const word = projects.find(({ id }) => id === project)?.alias ?? project;
  const tries = `Now try \`${commandText('/balance')} ${word}\` and \`${commandText('/spend')} ${word} last-7-days\`.`;
  const said = notes.length > 0 && section(notes.join('\n'));
  const names = asks
    ? [...unnamed.flatMap(unnamedInputs), moreInput(state, isTested ? 'More projects' : 'Projects')]
    : [];
  const next = compact([
    said,
    ...(post === undefined ? [] : postBlocks(post, state)),
    !asks && markup(tries),
  ]);
  return modal({
    callback: FIRST_VIEW,
    metadata: JSON.stringify(state),
    title: isTested ? CONNECT_TITLE : state.title,
    ...(asks && { submit: 'Save names' }),
    ...(asks && isTested && { close: 'Not now' }),
    blocks: isTested
      ? [...connectedBlocks(state, request, next), asks && header('Name your projects'), ...names]
      : [
          said,
          ...names,
          connection !== defaultConnection && context(escapeMarkup(`Connection: ${connection}`)),
        ],
  });
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
  const elsewhere = commandButton(
    'schedule',
    'Choose a channel…',
    toCommand('/billing schedule', [project, product && PRODUCTS[product].word].filter(Boolean).join(' ')),
  );
  const here = isPossible ? [button('first-post', 'Post it here every morning', { style: 'primary' })] : [];
  return [markup(text), actions(...here, ...elsewhere)];
}

const moreInput = ({ round, typed }: FirstProjects, label: string): InputBlock =>
  textInput({
    block: FIRST_FIELDS.more(round),
    label,
    hint: 'An ID and a name each. Tally finds out their products.',
    placeholder: '456 staging, 789 archive',
    initial: typed,
    max: 1000,
    optional: true,
  });

const unnamedInputs = ({ id, alias, products }: UnnamedProject): InputBlock[] =>
  compact([
    alias === '' &&
      textInput({
        block: FIRST_FIELDS.alias(id),
        label: `Name of project ${id}`,
        hint: 'People type it instead of the ID. 2 to 32 letters, digits and hyphens.',
        placeholder: 'prod',
        max: 64,
        optional: true,
      }),
    products.length !== 1 &&
      choiceInput({
        block: FIRST_FIELDS.product(id),
        label: `Product of ${alias === '' ? `project ${id}` : `${alias} (project ${id})`}`,
        options: products.map((product) => option(PRODUCTS[product].name, String(product))),
        optional: true,
      }),
  ]);
