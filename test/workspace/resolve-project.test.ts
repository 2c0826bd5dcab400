import { describe, expect, it } from 'vitest';
import { NotAllowed, NotConnected, ProjectMissing } from '../../src/domain/failure/index.ts';
import type { Project } from '../../src/workspace/projects.ts';
import { type AskLocation, resolveProject, visibleProjects } from '../../src/workspace/resolve-project.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

const HERE = 'C0HERE';
const ELSEWHERE = 'C0ELSEWHERE';

const project = (alias: string, given: Partial<Project> = {}): Project => ({
  alias,
  id: '123',
  product: 1,
  channels: [],
  owner: 'U1',
  addedBy: 'U1',
  addedAt: 0,
  ...given,
});

function recordOf(projects: readonly Project[], defaults: Record<string, string> = {}): Workspace {
  return {
    settings: { currency: 'EUR' },
    connectionNames: ['main'],
    projects,
    damaged: [],
    channelDefault: (channel: string) => defaults[channel],
  } as unknown as Workspace;
}

const member = (channel: string | null = HERE): AskLocation => ({
  channel: channel ?? undefined,
  manager: false,
});
const manager: AskLocation = { channel: HERE, manager: true };

describe('the project that is meant', () => {
  it('by its alias is asked with what was registered', () => {
    const record = recordOf([
      project('prod', { product: 2, connection: 'second', currency: '€', id: '9'.repeat(32) }),
    ]);
    expect(resolveProject({ alias: 'prod' }, record, member())).toEqual({
      project: '9'.repeat(32),
      product: 2,
      label: 'prod',
      word: 'prod',
      alias: 'prod',
      currency: '€',
      connection: 'second',
    });
  });

  it('by its ID is the registered one, and any other ID is asked by the defaults', () => {
    const record = recordOf([project('prod', { product: 2, connection: 'second' })]);
    expect(resolveProject({ project: '123' }, record, member())).toMatchObject({
      alias: 'prod',
      product: 2,
      connection: 'second',
    });
    expect(resolveProject({ project: '124' }, record, member())).toEqual({
      project: '124',
      product: 1,
      label: 'Project 124',
      word: '124',
      alias: undefined,
      currency: 'EUR',
      connection: undefined,
    });
  });

  it('by an ID that has two names is the one of that product, without a product the cloud one', () => {
    const record = recordOf([project('prod'), project('logs', { product: 2 })]);
    expect(resolveProject({ project: '123', product: 2 }, record, member()).alias).toBe('logs');
    expect(resolveProject({ project: '123' }, record, member()).alias).toBe('prod');
    expect(resolveProject({ project: '123', product: 3 }, record, member()).alias).toBeUndefined();
  });

  it('by an ID with two names of one product is neither of them', () => {
    const record = recordOf([project('a-one'), project('b-one', { connection: 'second' })]);
    expect(resolveProject({ project: '123' }, record, member())).toMatchObject({
      alias: undefined,
      label: 'Project 123',
    });
  });

  it('is the default of the channel where none is named', () => {
    const record = recordOf([project('prod'), project('logs', { id: '7' })], { [HERE]: 'logs' });
    expect(resolveProject({}, record, member()).alias).toBe('logs');
    expect(() => resolveProject({}, record, member(ELSEWHERE))).toThrow(ProjectMissing);
    expect(() => resolveProject({}, record, member(null))).toThrow(ProjectMissing);
  });

  it('is none where the default was removed or limited to other channels since', () => {
    expect(() => resolveProject({}, recordOf([], { [HERE]: 'gone' }), member())).toThrow(ProjectMissing);
    const limited = recordOf([project('prod', { channels: [ELSEWHERE] })], { [HERE]: 'prod' });
    expect(() => resolveProject({}, limited, member())).toThrow(ProjectMissing);
    expect(() => resolveProject({}, limited, manager)).toThrow(ProjectMissing);
  });

  it('is not asked for where there is nothing to ask with', () => {
    const empty = { ...recordOf([]), connectionNames: [] };
    expect(() => resolveProject({}, empty, member())).toThrow(NotConnected);
  });

  it('is none where an alias names nothing', () => {
    expect(() => resolveProject({ alias: 'gone' }, recordOf([]), member())).toThrow(ProjectMissing);
  });
});

describe('a limit to channels', () => {
  const prod = project('prod', { channels: [HERE] });

  it.each([
    ['its alias', { alias: 'prod' }],
    ['its ID', { project: '123' }],
    ['its ID as that product', { project: '123', product: 1 }],
    ['its ID as another product, which may bring the same to light', { project: '123', product: 3 }],
    ['its alias as another product', { alias: 'prod', product: 2 }],
  ] as const)('holds for %s, and not for managers', (_, named) => {
    const record = recordOf([prod]);
    expect(resolveProject(named, record, member(HERE)).project).toBe('123');
    for (const place of [member(ELSEWHERE), member(null), member('D0DIRECT')])
      expect(() => resolveProject(named, record, place)).toThrow(NotAllowed);
    expect(resolveProject(named, record, { channel: undefined, manager: true }).project).toBe('123');
  });

  it('is not got around by another name of the same ID', () => {
    const record = recordOf([prod, project('logs', { product: 2 })]);
    expect(resolveProject({ alias: 'logs' }, record, member(ELSEWHERE)).product).toBe(2);
    expect(resolveProject({ project: '123', product: 2 }, record, member(ELSEWHERE)).alias).toBe('logs');
    for (const named of [
      { alias: 'logs', product: 1 },
      { alias: 'logs', product: 3 },
      { project: '123' },
      { project: '123', product: 3 },
    ] as const)
      expect(() => resolveProject(named, record, member(ELSEWHERE))).toThrow(NotAllowed);
  });

  it('does not reach a project of another ID', () => {
    const record = recordOf([prod, project('dev', { id: '124' })]);
    expect(resolveProject({ alias: 'dev' }, record, member(ELSEWHERE)).project).toBe('124');
    expect(resolveProject({ project: '124', product: 3 }, record, member(ELSEWHERE)).project).toBe('124');
  });

  it('decides what there is to choose from', () => {
    const record = recordOf([prod, project('dev', { id: '124' })]);
    const names = (place: AskLocation) => visibleProjects(record, place).map(({ alias }) => alias);
    expect(names(member(HERE))).toEqual(['prod', 'dev']);
    expect(names(member(ELSEWHERE))).toEqual(['dev']);
    expect(names(member(null))).toEqual(['dev']);
    expect(names({ channel: undefined, manager: true })).toEqual(['prod', 'dev']);
  });
});
