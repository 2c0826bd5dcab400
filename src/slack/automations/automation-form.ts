/** The form that creates or edits a schedule or watch, and checks whether Tally can send to its channel or people. */
import { randomUUID } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { isChannel, isPerson, type SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type ChosenProject,
  parseProjectValue,
  projectIdLabel,
  projectLabel,
  projectValue,
} from '../../workspace/projects/chosen-project.ts';
import { isShownTo, limitedProjects } from '../../workspace/projects/project-scope.ts';
import { meetsRight } from '../../workspace/roles-and-rights.ts';
import {
  compact,
  context,
  escapeMarkup,
  type Message,
  markup,
  mention,
  section,
} from '../block-kit/blocks.ts';
import { projectOption, suggestProjects } from '../commands/project-picker.ts';
import {
  channels,
  choice,
  choices,
  type Field,
  FieldRefusal,
  type FormMoment,
  noteField,
  people,
  redrawing,
  refuseField,
  search,
  shownWhen,
} from '../forms/fields.ts';
import { createForm, type Fields, type FormDescription } from '../forms/form.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../request/channels.ts';
import { type FormValues, selectedValues } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import {
  type Automation,
  type AutomationContent,
  type AutomationKind,
  automationChange,
  idsOf,
  limitReachedMessage,
  listCommandOf,
  requireAutomation,
  targetMarkup,
} from './automation.ts';

interface AutomationForm<T extends Automation, Words>
  extends Pick<FormDescription<Fields, unknown>, 'fields' | 'button'> {
  readonly kind: AutomationKind<T>;
  readonly title: string;
  /** The first values of a new schedule or watch. @throws Failure */
  start(
    words: Words,
    request: Request,
  ): { readonly projects: AutomationContent['projects']; readonly values: FormValues };
  valuesOf(item: T): FormValues;
  build(at: FormMoment, before: T | undefined): Promise<T | FieldRefusal>;
}

/** A new schedule or watch gets its ID when its form opens, so submitting the form twice creates only one. */
export function createAutomationForm<T extends Automation, Words>(form: AutomationForm<T, Words>) {
  const { kind, title, start, valuesOf, build, ...described } = form;
  const isThere = (id: string, { workspace }: Request) => idsOf(kind, workspace).includes(id);
  const { open, handlers } = createForm(kind.noun, {
    ...described,
    start: (first: Pick<FormMoment, 'id' | 'values'>) => first,
    right: 'member',
    heading: kind.words.title,
    channelOf: ({ to, channel = '' }) => (to === 'people' ? '' : channel),
    title: ({ id, request }) => (isThere(id, request) ? `Edit ${kind.noun}` : title),
    records: (id) => [FIELDS[kind.noun] + id],
    save: (sent) => saveItem(kind, build, sent),
  });
  return {
    handlers,
    async openNew(words: Words, request: Request): Promise<void> {
      const full = limitReachedMessage(kind, request);
      if (full !== undefined) return request.reply.update(full);
      const { projects, values } = start(words, request);
      const { channel = '' } = request;
      const common = commonValues(kind, { projects, channel: isChannel(channel) ? channel : '' }, request);
      await open({ id: newId(), values: { ...common, ...values } }, request);
    },
    openFor: (item: T, request: Request) =>
      open({ id: item.id, values: { ...commonValues(kind, item, request), ...valuesOf(item) } }, request),
  };
}

const newId = (): string => randomUUID().replaceAll('-', '').slice(0, 8);

async function saveItem<T extends Automation>(
  kind: AutomationKind<T>,
  build: AutomationForm<T, never>['build'],
  sent: FormMoment,
): Promise<Message | FieldRefusal> {
  const { id, request } = sent;
  const before = requireAutomation(kind, id, request);
  const full = before === undefined ? limitReachedMessage(kind, request) : undefined;
  if (full !== undefined) return refuseField(full.text);
  const item = await build(sent, before);
  if (item instanceof FieldRefusal) return item;
  const did = before === undefined ? 'created' : 'changed';
  await kind.store.save(automationChange(kind, did, item, request), item);
  await kind.changed(request.user.teamId);
  return savedMessage(kind, item, request);
}

export const unchangedFields = (
  before: Automation | undefined,
  { id, request: { user, at } }: FormMoment,
) => ({
  id: before?.id ?? (/^[a-z0-9]{8}$/.test(id) ? id : newId()),
  owner: before?.owner ?? user.id,
  createdBy: before?.createdBy ?? user.id,
  createdAt: before?.createdAt ?? at,
  ...(before?.paused !== undefined && { paused: before.paused }),
});

/** `Saved: *prod*: balance below 50,000.00 → #finance.` */
function savedMessage<T extends Automation>(kind: AutomationKind<T>, item: T, request: Request): Message {
  const paused = item.paused === undefined ? '' : ' It stays paused until someone resumes it.';
  const saved = `Saved: ${kind.words.summary(item, request)} → ${targetMarkup(item)}.${paused}`;
  const hint = context(`Change or delete it with \`${commandText(listCommandOf(kind))}\`.`);
  return { text: 'Saved.', blocks: [markup(saved), hint] };
}

/** A watch without a channel alerts people; by default, only the user. */
function commonValues(
  { maxPeople }: Pick<AutomationKind, 'maxPeople'>,
  item: AutomationContent,
  { user }: Request,
): FormValues {
  const { channel = '', people: named = [user.id] } = item;
  const to = channel === '' && maxPeople > 0 ? 'people' : 'channel';
  return { projects: item.projects.map(projectValue).join(','), to, channel, people: named.join(',') };
}

export const deliveryOf = ({ projects, to, channel = '', people: named }: FormValues): AutomationContent => ({
  projects: selectedValues(projects).flatMap((value) => parseProjectValue(value) ?? []),
  ...(to === 'people'
    ? { people: selectedValues(named).filter(isPerson) }
    : { channel: isChannel(channel) ? channel : '' }),
});

export const projectsField = (max: number): Field<AutomationContent['projects']> => {
  const wanted = max === 1 ? 'a project' : `1 to ${max} projects`;
  return redrawing(
    search(max === 1 ? 'Project' : 'Projects', {
      hint: 'Type a name or an ID.',
      placeholder: 'prod, or 123',
      max,
      options: ({ values, request, data }) => {
        const { projects, channel } = deliveryOf(values);
        const check = data.target as ChannelCheck | null | undefined;
        const isTheirs = channel !== undefined && check?.problem === undefined && Boolean(check);
        const place = isTheirs ? channel : request.channel;
        return projects.map((project) => projectOption(project, nameProject(project, request, place)));
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

export const targetFields = (kind: Pick<AutomationKind, 'find' | 'noun' | 'sends' | 'maxPeople'>) => {
  const { maxPeople } = kind;
  const isForPeople = ({ to }: FormValues) => maxPeople > 0 && to === 'people';
  /** A manager who edits a schedule or watch can keep its channel without being in the channel. */
  const check = ({ id, values, request }: FormMoment): Promise<ChannelCheck> => {
    const before = requireAutomation(kind, id, request);
    return checkTarget(deliveryOf(values), request, request.user.canManage ? before?.channel : undefined);
  };
  return {
    to: shownWhen(
      () => maxPeople > 0,
      redrawing(
        choice(`Send ${kind.sends} to`, {
          options: choices({ channel: 'A channel', people: 'People, by direct message' }),
        }),
      ),
    ),
    people: shownWhen(
      isForPeople,
      people('People', { hint: 'Full members of this workspace.', max: maxPeople, optional: false }),
    ),
    channel: shownWhen(
      (values) => !isForPeople(values),
      redrawing(
        channels('Channel', {
          hint: `Everyone there sees the ${kind.sends}, and who set them up.`,
          placeholder: 'Choose a channel',
          max: 1,
          parse: (chosen) =>
            isChannel(chosen) ? chosen : refuseField('Choose a channel, not a direct message.'),
        }),
      ),
    ),
    target: noteField<ChannelCheck>(
      ({ found: { problem, warnings = [], canJoin } = {} as Partial<ChannelCheck> }) =>
        compact([
          problem === undefined ? warnings.length > 0 && section(warnings.join(' ')) : markup(problem),
          problem === undefined &&
            canJoin &&
            section('Tally isn’t in that channel yet. It joins when you save.'),
        ]),
      { isNeeded: ({ values }) => deliveryOf(values).channel !== '', run: check },
      async (at) => joinIfPossible(deliveryOf(at.values), await check(at), at.request),
    ),
  };
};

/** @param known the current channel; the user needn't be a member of it */
async function checkTarget(
  { channel, people, projects }: AutomationContent,
  request: Request,
  known: SlackId | undefined,
): Promise<ChannelCheck> {
  if (people !== undefined)
    return { problem: await findPeopleProblem(people, projects, request), canJoin: false, warnings: [] };
  const check = await checkChannel(channel, request, channel === known);
  const { workspace } = request;
  const limited = projects.filter(
    (project) => !isShownTo(project, workspace, { channel, isUnlimited: false }),
  );
  if (check.problem !== undefined || limited.length === 0) return check;
  const names = limited.map((project) => escapeMarkup(nameProject(project, request, request.channel)));
  return {
    ...check,
    problem: `${names.join(', ')} can’t be shown in that channel. Choose another project or channel.`,
  };
}

/** @returns why Tally can't send to the channel, as a mrkdwn sentence */
const joinIfPossible = async (
  { channel }: AutomationContent,
  { problem, canJoin }: ChannelCheck,
  request: Request,
): Promise<string | undefined> =>
  problem === undefined && canJoin && channel !== undefined ? joinChannel(channel, request) : problem;

/** Joins the channel if needed. @returns why Tally can't send posts or alerts there */
export const findItemProblem = async (item: Automation, request: Request): Promise<string | undefined> =>
  joinIfPossible(item, await checkTarget(item, request, item.channel), request);

/** Users who may not see the project's name in `channel` see its ID instead. */
const nameProject = (
  project: ChosenProject,
  { user, workspace }: Request,
  channel: SlackId | undefined,
): string =>
  user.canManage || limitedProjects(channel ?? '', [project], workspace).length === 0
    ? projectLabel(project, workspace)
    : projectIdLabel(project);

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
      return `Only full members of this workspace can get alerts. Remove ${others.map(mention).join(', ')}.`;
    // Only managers may get alerts about a limited project as direct messages.
    if (limitedProjects('', projects, workspace).length === 0) return undefined;
    return found.every(({ canManage }) => canManage)
      ? undefined
      : 'This project is limited to certain channels. Send its alerts to one of them, or only to Tally managers.';
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    return `Slack couldn’t confirm who these people are (${error.data.code}). Try again.`;
  }
}
