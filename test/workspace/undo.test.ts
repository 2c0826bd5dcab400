import { beforeEach, describe, expect, it } from 'vitest';

import type { Project } from '../../src/workspace/projects/project-record.ts';
import { findChannelLimit } from '../../src/workspace/projects/project-visibility.ts';
import { UNDO_MS } from '../../src/workspace/record/change.ts';
import { changeIn } from '../support/change.ts';
import { schedule } from '../support/delivery.ts';
import { recordFields } from '../support/redis.ts';
import { ADDED_AT, HASH, PROD, startWorkspaceStore, WATCH } from '../support/workspace-store.ts';

const NOW = ADDED_AT;

const { redis, workspaces, read } = await startWorkspaceStore();

const by = (at = NOW) =>
  changeIn(workspaces, 'T1', {
    at,
    who: 'U1',
    action: 'changed the default project of',
    about: 'C2: prod',
  });

interface Undoable {
  save(id: string): Promise<unknown>;
  remove(id: string, at: number): Promise<unknown>;
  find(id: string, now: number): Promise<unknown>;
  restore(id: string): Promise<boolean>;
  /** What is there now. */
  all(): Promise<readonly unknown[]>;
  of(id: string): unknown;
  /** The fields of one that is there, and of one that was removed. */
  readonly field: string;
  readonly removedField: string;
}

const KINDS: Record<string, Undoable> = {
  schedule: {
    save: async (id) => workspaces.schedules.save(await by(), schedule({ id })),
    remove: async (id, at) => workspaces.schedules.remove(await by(at), id, at),
    find: async (id, now) => workspaces.schedules.findRemoved(await read(), id, now),
    restore: async (id) => workspaces.schedules.restore(await by(), id),
    all: async () => (await read()).schedules,
    of: (id) => schedule({ id }),
    field: 'schedule:',
    removedField: 'unscheduled:',
  },
  watch: {
    save: async (id) => workspaces.watches.save(await by(), { ...WATCH, id }),
    remove: async (id, at) => workspaces.watches.remove(await by(at), id, at),
    find: async (id, now) => workspaces.watches.findRemoved(await read(), id, now),
    restore: async (id) => workspaces.watches.restore(await by(), id),
    all: async () => (await read()).watches,
    of: (id) => ({ ...WATCH, id }),
    field: 'watch:',
    removedField: 'unwatched:',
  },
};
const [ONE, TWO, THREE] = ['aaaaaaa1', 'aaaaaaa2', 'aaaaaaa3'];

const changeDefault = async (at: number) =>
  workspaces.setChannelDefault(await by(at), 'C1', at % 2 === 0 ? 'prod' : 'staging');

describe.each(Object.entries(KINDS))('a removed %s', (_, kind) => {
  beforeEach(async () => {
    for (const id of [ONE, TWO, THREE]) await kind.save(id);
  });

  it('can be restored for ten minutes, once, and leaves the others alone', async () => {
    await kind.remove(ONE, NOW);
    expect(await kind.all()).toEqual([kind.of(TWO), kind.of(THREE)]);
    expect(await kind.find(ONE, NOW + UNDO_MS)).toBeUndefined();
    expect(await kind.find(TWO, NOW)).toBeUndefined();
    expect(await kind.find(ONE, NOW + UNDO_MS - 1)).toEqual(kind.of(ONE));
    expect(await kind.restore(ONE)).toBe(true);
    expect(await kind.all()).toEqual([kind.of(ONE), kind.of(TWO), kind.of(THREE)]);
    expect(await kind.find(ONE, NOW)).toBeUndefined();
    expect(await kind.restore(ONE)).toBe(false);
  });

  it('is deleted by the next change of anything once it cannot be restored any more', async () => {
    await kind.remove(ONE, NOW);
    const isKept = () => redis.hexists(HASH, kind.removedField + ONE);
    await changeDefault(NOW + UNDO_MS - 1);
    expect(await isKept()).toBe(1);
    await changeDefault(NOW + UNDO_MS);
    expect(await isKept()).toBe(0);
  });
});

it('a damaged project is dropped with the defaults of its channels, and with nobody else’s', async () => {
  await workspaces.addProject(await by(), PROD);
  await redis.hset(HASH, {
    'project:bad': '{',
    'channel:C1': 'bad',
    'channel:C2': 'prod',
    'channel:C3': 'bad',
  });
  await workspaces.dropDamagedProject(await by(), 'bad');
  expect(Object.keys(await recordFields(redis, HASH)).sort()).toEqual(['channel:C2', 'project:prod']);
});

it('a restored project takes no channel from a default that was set since', async () => {
  await workspaces.addProject(await by(), PROD);
  for (const channel of ['C1', 'C2']) await workspaces.setChannelDefault(await by(), channel, 'prod');
  await workspaces.removeProject(await by(), PROD, NOW);
  await workspaces.addProject(await by(), { ...PROD, alias: 'live' });
  const seen = await by();
  await workspaces.setChannelDefault(await by(), 'C2', 'live');
  await expect(workspaces.restoreProject(seen, 'prod')).rejects.toMatchObject({ kind: 'edit-conflict' });
  expect((await read()).channelDefault('C2')).toBe('live');
  expect(await workspaces.restoreProject(await by(), 'prod')).toBe(true);
  expect([(await read()).channelDefault('C1'), (await read()).channelDefault('C2')]).toEqual([
    'prod',
    'live',
  ]);
});

describe('the channel limit of a project with two names', () => {
  const LOGS: Project = { ...PROD, alias: 'logs', product: 2 };
  beforeEach(async () => {
    await workspaces.addProject(await by(), { ...PROD, channels: ['C1'] });
    await workspaces.addProject(await by(), { ...PROD, alias: 'web' });
    await workspaces.addProject(await by(), LOGS);
  });
  const limitsNow = async () => {
    const workspace = await read();
    return Object.fromEntries(workspace.projects.map((one) => [one.alias, findChannelLimit(one, workspace)]));
  };

  it('changes with either name, also with a new name, and leaves another product alone', async () => {
    expect(await limitsNow()).toEqual({ prod: ['C1'], web: ['C1'], logs: undefined });
    await workspaces.changeProject(await by(), 'web', { ...PROD, alias: 'site', channels: ['C1', 'C2'] });
    expect(await limitsNow()).toEqual({ prod: ['C1', 'C2'], site: ['C1', 'C2'], logs: undefined });
    await workspaces.changeProject(await by(), 'prod', PROD);
    expect(await limitsNow()).toEqual({ prod: undefined, site: undefined, logs: undefined });
  });

  it('stays when the name that brought it is removed', async () => {
    const project = (await read()).projects.find(({ alias }) => alias === 'prod') as Project;
    await workspaces.removeProject(await by(), project, NOW);
    expect(await limitsNow()).toEqual({ web: ['C1'], logs: undefined });
  });
});
