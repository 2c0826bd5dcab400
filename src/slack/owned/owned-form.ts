/** What the forms of schedules and watches have in common: projects, where posts or alerts go, and how an item is saved. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { commandText } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Delivery } from '../../workspace/owned/stop-reason.ts';
import { parseProjectValue, projectValue } from '../../workspace/projects/chosen-project.ts';
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
import { compact, context, type Message, markup, section } from '../kit/blocks.ts';
import { type ChannelCheck, checkChannel } from '../request/channels.ts';
import { type FormFields, selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import { changeItem, limitReachedMessage } from './actions.ts';
import {
  canReadOwned,
  capitalize,
  itemVersion,
  type OwnedItem,
  type OwnedKind,
  requireOwned,
  targetMarkup,
} from './owned-kind.ts';
import { checkTarget, findTargetProblem, nameProject, unnamedProjects } from './target-check.ts';

interface OwnedForm<T extends OwnedItem, F extends Fields>
  extends Pick<FormDescription<F>, 'fields' | 'fold' | 'changed' | 'buttons' | 'pressed' | 'hidden'> {
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
    title: ({ id, request }) => (kind.ids(request.workspace).includes(id) ? words.edit : words.create),
    revision(id, { workspace }) {
      const item = kind.find(workspace, id);
      return item === undefined ? kind.store.removalOf(workspace, id) : itemVersion(item);
    },
    repeated({ id, values, request }) {
      const item = requireOwned(kind.find, id, request);
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
    renewed: ({ id, request }) => (kind.ids(request.workspace).includes(id) ? {} : { id: newId() }),
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
  const before = requireOwned(kind.find, id, request);
  const full = before === undefined ? limitReachedMessage(kind, request) : undefined;
  if (full !== undefined) return refuseField(full.text);
  const item = await build(sent, before);
  if (item instanceof FieldRefusal) return item;
  await changeItem(kind, item, before === undefined ? 'created' : 'changed', request);
  return savedMessage(kind, item, request);
}

const nowText = (kind: OwnedKind, now: OwnedItem, request: Request): string =>
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
function savedMessage(kind: OwnedKind, item: OwnedItem, request: Request): Message {
  const paused = item.paused === undefined ? '' : ' It stays paused until someone resumes it.';
  const what = kind.words.summary(item, request);
  const saved = `Saved: ${what}. ${capitalize(kind.sends)} go to ${targetMarkup(item)}.${paused}`;
  const hint = context(`Change or delete it with \`${commandText(kind.commands.list)}\`.`);
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
export function unnamedIn({ values, request, data }: FormMoment): Delivery['projects'] {
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
    const before = requireOwned(kind.find, id, request);
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
        pace: 'then',
        isNeeded: ({ values }) => deliveryOf(values).channel !== '',
        run: (at) => checkTarget(deliveryOf(at.values), at.request, checkerOf(at)),
      },
      (at) => findTargetProblem(deliveryOf(at.values), at.request, checkerOf(at)),
    ),
  };
};
