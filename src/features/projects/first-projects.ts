import type { BalanceRecord } from '../../billing/client.ts';
import { fetchBalanceByProduct } from '../../billing/fetch-balance-by-product.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { parseAccount } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { type Command, toCommand } from '../../slack/commands/command.ts';
import type { TestedConnection } from '../../slack/commands/connected-blocks.ts';
import { textMessage } from '../../slack/kit/blocks.ts';
import { waitingModal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ActionListener, ViewListener } from '../../slack/server/listeners.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { findNamed, isSameProject } from '../../workspace/projects/chosen-project.ts';
import { MAX_PROJECTS } from '../../workspace/projects/project-record.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import { reservedWords, type Services } from '../feature.ts';
import {
  decodeFirstProjects,
  FIRST_VIEW,
  type FirstProjects,
  type FirstProjectsForm,
  firstProjectsCommand,
  firstProjectsView,
  parseFirstProjects,
  type UnnamedProject,
} from './first-projects-form.ts';

/** What became of a project that was to be named: a sentence, and the project where a product is to be chosen. */
interface Naming {
  readonly note: string;
  readonly open?: UnnamedProject;
  readonly isSaved?: boolean;
}

/** What follows a tested connection, in its form: the first figure, names for projects, a post every morning. */
export function createFirstProjects({ workspaces, billing, answerStore, limits, all }: Services) {
  const { morningPosts } = all;

  const view = async (state: FirstProjects, asked: Request, notes: readonly string[] = []) => {
    const request = { ...asked, workspace: await workspaces.load(asked.user.teamId) };
    const project = projectToPost(state, request);
    const post = project && (await morningPosts()?.find(project, state.channel, request));
    return firstProjectsView(state, request, notes, post);
  };

  /** @param state as the modal has it: outside text */
  const press = (
    command: (state: FirstProjects, value: string) => Command,
    work: (state: FirstProjects, value: string, request: Request) => Promise<string[]>,
  ): ActionListener => ({
    right: 'manage',
    command({ value, metadata }) {
      const state = decodeFirstProjects(metadata);
      return state && command(state, value);
    },
    kind: 'change',
    async run({ value, metadata }, request) {
      const state = decodeFirstProjects(metadata);
      if (state !== undefined)
        await request.reply.modal.update(await view(state, request, await work(state, value, request)));
    },
  });

  /** Keeps the balance of a project that was just named, so that Home shows it; without one, Home says so. */
  const keepBalance = async (
    target: Pick<ResolvedProject, 'alias' | 'project' | 'product'>,
    { connection, known }: { readonly connection: string; readonly known: BalanceRecord | undefined },
    { workspace, at }: Request,
  ): Promise<void> => {
    try {
      const access = openConnection(workspace, {
        connection,
        label: target.alias ?? '',
        alias: target.alias,
      });
      const balance = storedBalance(target, parseAccount(known ?? (await billing.balance(access, target))));
      await answerStore.save(workspace, { connection, at, ...(balance && { balance }) });
    } catch (failure) {
      if (!isFailure(failure)) throw failure;
    }
  };

  /** @param balance what billing said of the product, if it was just asked */
  const name = async (
    wanted: UnnamedProject,
    connection: string,
    request: Request,
    balance?: BalanceRecord,
  ): Promise<Naming> => {
    const { workspace, user, at } = request;
    const { id, alias, products } = wanted;
    const refuse = (why: string): Naming => ({ note: `${alias} (project ${id}) wasn’t saved: ${why}` });
    if (holdsRegisteredSecret(alias, workspace))
      return { note: `The name for project ${id} wasn’t saved: it is a registered secret.` };
    const [product, ...others] = products;
    if (product === undefined) return findProduct(wanted, connection, request);
    if (others.length > 0)
      return {
        open: wanted,
        note: `${alias} (project ${id}): several products have data for it. Choose one.`,
      };
    const known = workspace.projects.find((project) => isSameProject(project, { id, product }));
    if (known !== undefined) return { isSaved: true, note: `Project ${id} is named ${known.alias}.` };
    if (workspace.aliases.size >= MAX_PROJECTS)
      return refuse(`you have ${MAX_PROJECTS} projects, which is the limit.`);
    const isDefault = (workspace.defaultConnection ?? connection) === connection;
    const saved = await workspaces.addProject(
      auditedChange(request, ['project added', { kind: 'project', alias, id }]),
      {
        alias,
        id,
        product,
        channels: [],
        owner: user.id,
        addedBy: user.id,
        addedAt: at,
        ...(!isDefault && { connection }),
      },
    );
    if (saved) await keepBalance({ alias, project: id, product }, { connection, known: balance }, request);
    return saved
      ? { isSaved: true, note: `Saved ${alias}: project ${id}, ${PRODUCTS[product].name}.` }
      : refuse('another project has that name.');
  };

  const findProduct = async (
    wanted: UnnamedProject,
    connection: string,
    request: Request,
  ): Promise<Naming> => {
    const { id, alias } = wanted;
    const target = { connection, label: alias, alias };
    try {
      const { found, failed } = await fetchBalanceByProduct(
        billing,
        openConnection(request.workspace, target),
        id,
      );
      const products = found.map(({ product }) => product);
      const unsure = failed.map(({ product }) => PRODUCTS[product].name).join(' and ');
      if (products.length > 0)
        return await name({ id, alias, products }, connection, request, found[0]?.balance);
      return {
        note: `${alias} wasn’t saved: no product has data for project ${id}.${unsure === '' ? ' Check the ID.' : ` ${unsure} gave no answer: try again.`}`,
      };
    } catch (failure) {
      if (!isFailure(failure)) throw failure;
      request.recordError(failure);
      return { note: `${alias} (project ${id}) wasn’t saved: ${failure.message}` };
    }
  };

  const save = async ({ state, wanted }: FirstProjectsForm, request: Request): Promise<void> => {
    const { connection } = state;
    if (wanted.some(({ products }) => products.length === 0))
      limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
    const named = await Promise.all(wanted.map((entry) => name(entry, connection, request)));
    const unnamed = named.flatMap(({ open }) => open ?? []);
    const next = {
      ...state,
      typed: '',
      ...choiceOf(state, wanted),
      unnamed,
      asks: !named.every(({ isSaved }) => isSaved),
      round: state.round + 1,
    };
    const notes = named.map(({ note }) => note);
    await request.reply.modal.update(await view(next, request, notes), textMessage(notes.join(' ')));
  };

  return {
    async afterConnect(tested: TestedConnection, request: Request) {
      const { project: id, products } = tested;
      const isNamed = request.workspace.projects.some((project) => project.id === id);
      const unnamed = isNamed || products.length === 0 ? [] : [{ id, alias: '', products }];
      return view({ ...tested, unnamed, asks: !isNamed, round: 0, typed: '' }, request);
    },
    async open(
      { typed, connection }: { readonly typed: string; readonly connection: string | undefined },
      request: Request,
    ) {
      const { workspace, channel = '' } = request;
      const tested = {
        connection: connection ?? workspace.defaultConnection ?? '',
        channel,
        project: '',
        products: [],
      };
      const state = { ...tested, title: 'Add projects', lines: [], unnamed: [], asks: true, round: 0, typed };
      await request.reply.modal.open(await view(state, request));
    },
    actions: {
      'first-post': press(
        ({ project }) => toCommand('/billing schedule', `${project} daily 09:00`),
        async (state, _, request) => {
          const project = projectToPost(state, request);
          const problem = project && (await morningPosts()?.create(project, state.channel, request));
          return problem === undefined ? [] : [problem];
        },
      ),
      'first-undo': press(
        (_, id) => toCommand('/billing schedules', `delete ${id}`),
        async (_, id, request) => {
          await morningPosts()?.remove(id, request);
          return [];
        },
      ),
    },
    views: {
      [FIRST_VIEW]: {
        right: 'manage',
        command(fields, metadata) {
          const parsed = parseFirstProjects(fields, metadata, reservedWords(all));
          if ('errors' in parsed) return toCommand('/billing projects', 'add');
          return firstProjectsCommand(parsed.input.wanted, parsed.input.state.connection);
        },
        waiting: waitingModal('Projects', 'Saving. Tally asks for each project’s product…'),
        parse: (fields, metadata) => parseFirstProjects(fields, metadata, reservedWords(all)),
        submit: save,
        async redraw(metadata, request) {
          const state = decodeFirstProjects(metadata);
          return state && view(state, request);
        },
      } satisfies ViewListener<FirstProjectsForm>,
    },
  };
}

/** The tested project's product, once it was chosen from several. */
function choiceOf({ project }: FirstProjects, wanted: readonly UnnamedProject[]) {
  const tested = wanted.find(({ id }) => id === project);
  return tested?.products.length === 1 ? { products: tested.products } : {};
}

/** The tested project with its product and the connection that a post would use: the default, or that of its name. */
function projectToPost({ project: id, products, connection }: FirstProjects, { workspace }: Request) {
  const [product, ...others] = products;
  if (product === undefined || others.length > 0) return undefined;
  const named = findNamed({ id, product }, workspace);
  const asked = named?.connection ?? workspace.defaultConnection;
  return asked === connection ? { id, product, ...(named && { alias: named.alias }) } : undefined;
}
