/**
 * What the forms of schedules and watches have in common: projects, where posts or alerts go and whether everybody there may
 * see the projects, and how an item is saved.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Delivery } from '../../workspace/owned/stop-reason.ts';
import { meetsRight } from '../../workspace/permissions.ts';
import {
  type ChosenProject,
  parseProjectValue,
  projectIdLabel,
  projectLabel,
  projectValue,
} from '../../workspace/projects/chosen-project.ts';
import { isShownTo, limitedProjects } from '../../workspace/projects/project-visibility.ts';
import { isChannel, isPerson } from '../../workspace/record/parse-record.ts';
import { projectOption, suggestProjects } from '../commands/project-picker.ts';
import {
  channels,
  choice,
  choices,
  type Field,
  FieldRefusal,
  type FormMoment,
  live,
  note,
  people,
  refuseField,
  search,
  when,
} from '../forms/fields.ts';
import { createForm, type Fields, type FormDescription, type SentForm } from '../forms/form.ts';
import { compact, context, escapeMarkup, type Message, markup, mention, section } from '../kit/blocks.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../request/channels.ts';
import { type FormFields, selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import {
  canReadOwned,
  capitalize,
  idsOf,
  itemVersion,
  limitReachedMessage,
  listCommandOf,
  type OwnedItem,
  type OwnedKind,
  ownedChange,
  requireOwned,
  targetMarkup,
} from './owned-kind.ts';

interface OwnedForm<T extends OwnedItem, F extends Fields>
  extends Pick<FormDescription<F>, 'fields' | 'buttons' | 'pressed'> {
  readonly kind: OwnedKind<T>;
  readonly words: Readonly<Record<'create' | 'edit' | 'saving', string>>;
  valuesOf(item: T): FormFields;
  /** What the form says of the item; undefined if that isn't right any more. */
  content(values: FormFields, request: Request): Partial<T> | undefined;
  /** After the check of its target. @returns the item, or why it isn't saved @throws NotAllowed, Failure */
  build(at: FormMoment, before: T | undefined): Promise<T | FieldRefusal>;
}

/** The form of a schedule or a watch. A new one has its ID from when the form opens, so that it is saved once. */
export function createOwnedForm<T extends OwnedItem, F extends Fields>(form: OwnedForm<T, F>) {
  const { kind, words, valuesOf, content, build, ...described } = form;
  const { open, listeners } = createForm<F>(kind.kind, {
    ...described,
    ...{ right: 'member', workspaces: kind.workspaces, heading: kind.words.title, waiting: [words.saving] },
    placeOf: ({ to, channel = '' }) => (to === 'people' ? '' : channel),
    title: ({ id, request }) => (idsOf(kind, request.workspace).includes(id) ? words.edit : words.create),
    revision(id, { workspace }) {
      const item = kind.find(workspace, id);
      return item === undefined ? kind.store.removalOf(workspace, id) : itemVersion(item);
    },
    repeated({ id, values, request }) {
      const item = requireOwned(kind, id, request);
      const said = content(values, request);
      return item && said && isDeepStrictEqual(item, { ...item, ...said })
        ? savedMessage(kind, item, request)
        : undefined;
    },
    conflict({ id, request }) {
      const item = kind.find(request.workspace, id);
      return item === undefined
        ? [`This ${kind.kind} was deleted.`, 'Save to create a new one.']
        : nowText(kind, item, request);
    },
    renewed: ({ id, request }) => (idsOf(kind, request.workspace).includes(id) ? {} : { id: newId() }),
    save: (sent) => saveItem(kind, build, sent),
  });
  return {
    listeners,
    async openNew(request: Request, create: () => FormFields, isOpen = false): Promise<void> {
      const full = limitReachedMessage(kind, request);
      await (full === undefined
        ? open(request, { id: newId(), values: create(), isOpen })
        : request.reply.update(full));
    },
    openFor: (item: T, request: Request) =>
      open(request, { id: item.id, values: { ...commonValues(item, request), ...valuesOf(item) } }),
  };
}

/** Eight letters and digits. */
const newId = (): string => randomUUID().replaceAll('-', '').slice(0, 8);

async function saveItem<T extends OwnedItem, F extends Fields>(
  kind: OwnedKind<T>,
  build: OwnedForm<T, F>['build'],
  sent: SentForm<F>,
): Promise<Message | FieldRefusal> {
  const { id, request } = sent;
  const before = requireOwned(kind, id, request);
  const full = before === undefined ? limitReachedMessage(kind, request) : undefined;
  if (full !== undefined) return refuseField(full.text);
  const item = await build(sent, before);
  if (item instanceof FieldRefusal) return item;
  await kind.store.save(ownedChange(kind, before === undefined ? 'created' : 'changed', item, request), item);
  await kind.changed(request.user.teamId);
  return savedMessage(kind, item, request);
}

const nowText = <T extends OwnedItem>(kind: OwnedKind<T>, now: T, request: Request): string =>
  canReadOwned(now, request) ? `It’s now ${kind.words.summary(now, request)} → ${targetMarkup(now)}.` : '';

/** What an edit keeps: whose it is, and since when. */
export const ownershipFields = (
  before: OwnedItem | undefined,
  { id, request: { user, at } }: FormMoment,
) => ({
  id: before?.id ?? (/^[a-z0-9]{8}$/.test(id) ? id : newId()),
  owner: before?.owner ?? user.id,
  createdBy: before?.createdBy ?? user.id,
  createdAt: before?.createdAt ?? at,
});

/** `Saved: *prod*: balance below 50,000.00. Alerts go to #finance.` */
function savedMessage<T extends OwnedItem>(kind: OwnedKind<T>, item: T, request: Request): Message {
  const paused = item.paused === undefined ? '' : ' It stays paused until someone resumes it.';
  const what = kind.words.summary(item, request);
  const saved = `Saved: ${what}. ${capitalize(kind.sends)} go to ${targetMarkup(item)}.${paused}`;
  const hint = context(`Change or delete it with \`${commandText(listCommandOf(kind))}\`.`);
  return { text: `${capitalize(kind.kind)} saved.`, blocks: [markup(saved), hint] };
}

function commonValues(item: OwnedItem, { user }: Request): FormFields {
  const { channel = '', people: named = [user.id] } = { people: undefined, ...item };
  const to = channel === '' ? 'people' : 'channel';
  return { projects: item.projects.map(projectValue).join(','), to, channel, people: named.join(',') };
}

/** What a new form begins with: the channel where it was asked for or, outside of channels, the person if that is possible. */
export function newValues(projects: Delivery['projects'], most: number, request: Request): FormFields {
  const { channel: place = '', user } = request;
  const channel = isChannel(place) ? place : '';
  const to = channel === '' && most > 0 ? 'people' : 'channel';
  return { projects: projects.map(projectValue).join(','), to, channel, people: user.id };
}

/** Where it goes, and about what; a channel may be ''. */
export const deliveryOf = ({ projects, to, channel = '', people: named }: FormFields): Delivery => ({
  projects: selectedValues(projects).flatMap((value) => parseProjectValue(value) ?? []),
  ...(to === 'people'
    ? { people: selectedValues(named).filter(isPerson) }
    : { channel: isChannel(channel) ? channel : '' }),
});

/** Projects whose names the user may not know: a form may send back a project that they may not see. */
function unnamedIn({ values, request, data }: FormMoment): Delivery['projects'] {
  const check = data.target as ChannelCheck | null | undefined;
  const { projects, channel } = deliveryOf(values);
  const isTheirs = channel !== undefined && check && check.problem === undefined;
  return unnamedProjects(projects, request, isTheirs ? channel : request.channel);
}

/** The field of one project or several. */
export const projectsField = (max: number, hint?: string): Field<Delivery['projects']> => {
  const wanted = max === 1 ? 'a project' : `1 to ${max} projects`;
  return live(
    search(max === 1 ? 'Project' : 'Projects', {
      ...(hint !== undefined && { hint }),
      placeholder: 'prod, or 123',
      max,
      options(at) {
        const unnamed = unnamedIn(at);
        const { projects } = deliveryOf(at.values);
        return projects.map((project) => {
          const isUnnamed = unnamed.some((one) => projectValue(one) === projectValue(project));
          return projectOption(project, nameProject(project, isUnnamed ? [project] : [], at.request));
        });
      },
      find: suggestProjects,
      parse(chosen) {
        const all = selectedValues(chosen);
        const projects = all.flatMap((value) => parseProjectValue(value) ?? []);
        const isWhole = projects.length > 0 && projects.length <= max && projects.length === all.length;
        return isWhole ? projects : refuseField(`Choose ${wanted}. Type a name or an ID.`);
      },
    }),
  );
};

/** Where posts or alerts go, what is wrong with that, and what is worth knowing. @param most people; 0 for channels only */
export const targetFields = (kind: Pick<OwnedKind, 'find' | 'sends'>, most: number) => {
  const isForPeople = ({ to }: FormFields) => most > 0 && to === 'people';
  /** A manager may keep the channel of what they edit without being in it. @throws NotAllowed when the user may not edit it */
  const checkerOf = ({ id, request }: FormMoment) => {
    const before = requireOwned(kind, id, request);
    const kept = request.user.canManage ? before?.channel : undefined;
    return (channel: SlackId) => checkChannel(channel, request, channel === kept);
  };
  return {
    to: when(
      () => most > 0,
      live(
        choice(`Send ${kind.sends} to`, {
          options: choices({ channel: 'A channel', people: 'People, by direct message' }),
        }),
      ),
    ),
    people: when(
      isForPeople,
      people('People', { hint: 'Full members of this workspace.', max: most, optional: false }),
    ),
    channel: when(
      (values) => !isForPeople(values),
      live(
        channels('Channel', {
          hint: `Everyone there sees the ${kind.sends}, and who set them up.`,
          placeholder: 'Choose a channel',
          max: 1,
          parse: (chosen) =>
            isChannel(chosen) ? chosen : refuseField('Choose a channel, not a direct message.'),
        }),
      ),
    ),
    target: note<ChannelCheck>(
      ({ found: { problem, warnings = [], canJoin } = {} as Partial<ChannelCheck> }) =>
        compact([
          problem === undefined ? warnings.length > 0 && section(warnings.join(' ')) : markup(problem),
          problem === undefined &&
            canJoin &&
            section('Tally isn’t in that channel yet. It joins when you save.'),
        ]),
      {
        isNeeded: ({ values }) => deliveryOf(values).channel !== '',
        run: (at) => checkTarget(deliveryOf(at.values), at.request, checkerOf(at)),
      },
      (at) => findTargetProblem(deliveryOf(at.values), at.request, checkerOf(at)),
    ),
  };
};

const MANAGERS_ONLY =
  'This project is limited to certain channels. Send its alerts to one of them, or only to Tally managers.';

/** Checks a channel; by default as a channel that the user chooses now. */
type CheckOfChannel = (channel: SlackId) => Promise<ChannelCheck>;

/** What is wrong with the target or worth knowing; its sentences are mrkdwn. */
async function checkTarget(
  { channel, people, projects }: Delivery,
  request: Request,
  checkOf: CheckOfChannel = (channel) => checkChannel(channel, request),
): Promise<ChannelCheck> {
  if (people !== undefined)
    return { problem: await findPeopleProblem(people, projects, request), canJoin: false, warnings: [] };
  const check = await checkOf(channel);
  const { workspace } = request;
  const limited = projects.filter(
    (project) => !isShownTo(project, workspace, { channel, isUnlimited: false }),
  );
  if (check.problem !== undefined || limited.length === 0) return check;
  const unnamed = unnamedProjects(limited, request, request.channel);
  const names = limited.map((project) => escapeMarkup(nameProject(project, unnamed, request))).join(', ');
  return { ...check, problem: `That channel can’t see ${names}. Choose another project or channel.` };
}

/**
 * Joins the channel if that is needed.
 * @returns why nothing can be sent there, as a mrkdwn sentence
 */
async function findTargetProblem(
  delivery: Delivery,
  request: Request,
  checkOf?: CheckOfChannel,
): Promise<string | undefined> {
  const { channel } = delivery;
  const { problem, canJoin } = await checkTarget(delivery, request, checkOf);
  if (problem !== undefined || !canJoin || channel === undefined) return problem;
  return joinChannel(channel, request);
}

/** As `findTargetProblem`, for an item that exists: people who may change it need not be in the channel that others chose. */
export const findItemProblem = (item: OwnedItem, request: Request): Promise<string | undefined> =>
  findTargetProblem(item, request, (channel) => checkChannel(channel, request, true));

/** The projects whose names the user may not know. @param channel where they are named */
const unnamedProjects = (
  projects: readonly ChosenProject[],
  { user, workspace }: Request,
  channel: SlackId | undefined,
): readonly ChosenProject[] => (user.canManage ? [] : limitedProjects(channel ?? '', projects, workspace));

/** The name of a project; its ID if it is one of `unnamed`. */
const nameProject = (
  project: ChosenProject,
  unnamed: readonly ChosenProject[],
  { workspace }: Request,
): string => (unnamed.includes(project) ? projectIdLabel(project) : projectLabel(project, workspace));

async function findPeopleProblem(
  people: readonly SlackId[],
  projects: readonly ChosenProject[],
  { slack, workspace }: Request,
): Promise<string | undefined> {
  try {
    const found = await Promise.all(
      people.map(async (person) => ({ person, ...(await slack.permissionsOf(person)) })),
    );
    const others = found.filter((person) => !meetsRight('member', person)).map(({ person: id }) => id);
    if (others.length > 0)
      return `Only full members of this workspace can get alerts, so choose someone else for ${others.map(mention).join(', ')}.`;
    // A direct message is not one of the channels that a limited project may be shown in.
    if (limitedProjects('', projects, workspace).length === 0) return undefined;
    return found.every(({ canManage }) => canManage) ? undefined : MANAGERS_ONLY;
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    return `Slack couldn’t confirm who they are (${error.data.code}). Try again.`;
  }
}
