/** Projects, schedules and watches: a field of the record each. One that was removed can be restored for a while. */
import type * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { type Project, parseProject } from '../projects/project-record.ts';
import { limitOtherNames } from '../projects/project-visibility.ts';
import {
  type ChangeTarget,
  commitChange,
  parseRemoval,
  planRemoval,
  REMOVED_FIELDS,
  restoreRemoved,
  type WorkspaceChange,
} from './change.ts';
import { parseNamedRecord } from './parse-record.ts';
import { balanceFields, failureFields } from './stored-outcomes.ts';
import { findProject, type Workspace } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

/** How schedules, or watches, are stored. */
export interface OwnedFormat<T> {
  readonly kind: 'schedule' | 'watch';
  readonly schema: z.ZodType<T>;
  serialize(item: T): string;
}

/** Schedules, or watches. Each method that writes is one round trip. @throws store-unavailable */
export type OwnedStore<T extends { readonly id: string }> = ReturnType<typeof createOwnedStore<T>>;

export function createOwnedStore<T extends { readonly id: string }>(
  target: ChangeTarget,
  { kind, schema, serialize }: OwnedFormat<T>,
) {
  const [stored, removed] = [FIELDS[kind], REMOVED_FIELDS[kind]];
  const parse = (id: string, json = ''): T => parseNamedRecord(schema, json, 'id', id);
  return {
    /** `removed` for what was removed a while ago, '' for what never was. */
    removalOf: ({ fields }: Pick<Workspace, 'fields'>, id: string): string =>
      fields[removed + id] === undefined ? '' : 'removed',
    /** Creates or replaces it. @throws edit-conflict */
    async save(change: WorkspaceChange, item: T): Promise<void> {
      const field = stored + item.id;
      await commitChange(target, change, () => ({ dependsOn: [field], set: { [field]: serialize(item) } }));
    },
    /** Does nothing when it is removed already. @param at ms since the epoch @throws edit-conflict */
    async remove(change: WorkspaceChange, id: string, at: Millis): Promise<void> {
      const json = change.workspace.fields[stored + id];
      if (json === undefined) return;
      // A damaged one could not be restored.
      parse(id, json);
      // Only schedules have a last delivery.
      const names = [stored + id, ...(kind === 'schedule' ? [FIELDS.sent + id] : [])];
      await commitChange(target, change, (fields) => planRemoval(fields, removed + id, names, at));
    },
    /** What can be restored; undefined if nothing can. @throws unseal-failed */
    findRemoved({ fields }: Pick<Workspace, 'fields'>, id: string, now: Millis): T | undefined {
      const removal = parseRemoval(fields[removed + id], now);
      return removal && parse(id, removal[stored + id]);
    },
    /** With its delivery history: posts that fell due since come late. @returns false if nothing can be restored */
    restore: (change: WorkspaceChange, id: string): Promise<boolean> =>
      restoreRemoved(target, change, removed + id, stored + id),
  };
}

/** The part of `Workspaces` for projects and the channels' defaults. Each method that writes is one round trip. */
export function createProjectStore(target: ChangeTarget) {
  return {
    /** @returns false when the alias is taken */
    addProject(change: WorkspaceChange, project: Project): Promise<boolean> {
      const plan = { dependsOn: [], set: projectFields([project]) };
      return commitChange(target, change, () => plan, FIELDS.project + project.alias);
    },
    /**
     * Saves a project under its alias or a new one; the channels whose default it is follow. Its channel limit becomes that
     * of its other names too.
     * @returns false when the new alias is taken
     */
    changeProject(change: WorkspaceChange, alias: string, after: Project): Promise<boolean> {
      const [from, to] = [FIELDS.project + alias, FIELDS.project + after.alias];
      const before = findProject(change.workspace, alias) ?? after;
      const stale = before.id === after.id ? [] : balanceFields(before.id);
      const others = projectFields(limitOtherNames(change.workspace, before, after));
      const isRenamed = from !== to;
      const channels = isRenamed ? change.workspace.channelsOf(alias).map(channelField) : [];
      const plan = {
        dependsOn: [from, ...Object.keys(others), ...channels],
        remove: [...(isRenamed ? [from] : []), ...stale, ...failureFields(before.id)],
        set: {
          ...others,
          ...projectFields([after]),
          ...Object.fromEntries(channels.map((channel) => [channel, after.alias])),
        },
      };
      return commitChange(target, change, () => plan, isRenamed ? to : undefined);
    },
    /** With the channels whose default it is. Its other names keep its channel limit. */
    async removeProject(change: WorkspaceChange, project: Project, at: Millis): Promise<void> {
      const { alias, id } = project;
      const { workspace } = change;
      const names = [FIELDS.project + alias, ...workspace.channelsOf(alias).map(channelField)];
      const others = projectFields(limitOtherNames(workspace, project, undefined));
      await commitChange(target, change, (fields) => {
        const {
          dependsOn,
          remove = [],
          set,
        } = planRemoval(fields, REMOVED_FIELDS.project + alias, names, at);
        return {
          dependsOn: [...dependsOn, ...Object.keys(others)],
          remove: [...remove, ...balanceFields(id), ...failureFields(id)],
          set: { ...others, ...set },
        };
      });
    },
    /** What can be restored; undefined if nothing can. @throws unseal-failed */
    findRemovedProject({ fields }: Workspace, alias: string, now: Millis): Project | undefined {
      const removal = parseRemoval(fields[REMOVED_FIELDS.project + alias], now);
      return removal && parseProject(alias, removal[FIELDS.project + alias] ?? '');
    },
    /** Also as the default of its channels, except those that have another default now. @returns false when the alias is taken */
    restoreProject: (change: WorkspaceChange, alias: string): Promise<boolean> =>
      restoreRemoved(target, change, REMOVED_FIELDS.project + alias, FIELDS.project + alias),
    async setChannelDefault(change: WorkspaceChange, channel: SlackId, alias?: string): Promise<void> {
      const field = channelField(channel);
      await commitChange(target, change, () =>
        alias === undefined
          ? { dependsOn: [field], remove: [field] }
          : { dependsOn: [field, FIELDS.project + alias], set: { [field]: alias } },
      );
    },
  };
}

const channelField = (channel: SlackId): string => FIELDS.channel + channel;
const projectFields = (projects: readonly Project[]): RecordFields =>
  Object.fromEntries(projects.map((project) => [FIELDS.project + project.alias, JSON.stringify(project)]));
