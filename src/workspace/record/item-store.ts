/** Projects, schedules and watches: a field of the record each. */
import type * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Project } from '../projects/project-record.ts';
import { limitOtherNames } from '../projects/resolve-project.ts';
import { type ChangeTarget, commitChange, type WorkspaceChange } from './change.ts';
import { balanceFields, failureFields } from './stored-outcomes.ts';
import { findProject } from './workspace.ts';
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
  { kind, serialize }: OwnedFormat<T>,
) {
  const stored = FIELDS[kind];
  return {
    /** Creates or replaces it. @throws edit-conflict */
    async save(change: WorkspaceChange, item: T): Promise<void> {
      const field = stored + item.id;
      await commitChange(target, change, () => ({ dependsOn: [field], set: { [field]: serialize(item) } }));
    },
    /** Does nothing when it is removed already. @throws edit-conflict */
    async remove(change: WorkspaceChange, id: string): Promise<void> {
      // Only schedules have a last delivery.
      const names = [stored + id, ...(kind === 'schedule' ? [FIELDS.sent + id] : [])];
      await commitChange(target, change, () => ({ dependsOn: names, remove: names }));
    },
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
    async removeProject(change: WorkspaceChange, project: Project): Promise<void> {
      const { alias, id } = project;
      const { workspace } = change;
      const names = [FIELDS.project + alias, ...workspace.channelsOf(alias).map(channelField)];
      const others = projectFields(limitOtherNames(workspace, project, undefined));
      await commitChange(target, change, () => ({
        dependsOn: [...names, ...Object.keys(others)],
        remove: [...names, ...balanceFields(id), ...failureFields(id)],
        set: others,
      }));
    },
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
