import { describe, expect, it } from 'vitest';
import { projectLabel } from '../../src/workspace/projects/chosen-project.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import {
  limitedProjects,
  type ProjectScope,
  visibleProjects,
} from '../../src/workspace/projects/project-scope.ts';
import {
  openConnection,
  resolveProject,
  resolveProjects,
} from '../../src/workspace/projects/resolve-project.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import type { RecordFields } from '../../src/workspace/record/workspace-store.ts';
import { aFailure } from '../support/failures.ts';
import { workspaceOf } from '../support/records.ts';
import { PROD } from '../support/workspace-store.ts';

const HERE = 'C0HERE';
const ELSEWHERE = 'C0ELSEWHERE';

const project = (alias: string, given: Partial<Project> = {}): Project => ({ ...PROD, alias, ...given });

/** @param fields the channels’ defaults, and what is damaged */
const recordOf = (projects: readonly Project[], fields: RecordFields = {}, isConnected = true): Workspace =>
  workspaceOf({ settings: { currency: 'EUR' }, projects, fields, ...(!isConnected && { connections: [] }) });
const DAMAGED = { 'project:bad': '{' };

const member = (channel: string | null = HERE): ProjectScope => ({
  channel: channel ?? undefined,
  isUnlimited: false,
});
const manager: ProjectScope = { channel: HERE, isUnlimited: true };

describe('the project in a question', () => {
  it('is found by its alias, with its registered ID and product', () => {
    const record = recordOf([
      project('prod', { product: 2, connection: 'second', currency: '€', id: '9'.repeat(32) }),
    ]);
    expect(resolveProject({ alias: 'prod' }, record, member())).toEqual({
      project: '9'.repeat(32),
      product: 2,
      isOwnProduct: true,
      label: 'prod',
      word: 'prod',
      alias: 'prod',
      currency: '€',
      connection: 'second',
    });
  });

  it('is found by its ID, and has default values if the ID isn’t registered', () => {
    const record = recordOf([project('prod', { product: 2, connection: 'second' })]);
    expect(resolveProject({ project: '123' }, record, member())).toMatchObject({
      alias: 'prod',
      product: 2,
      isOwnProduct: true,
      connection: 'second',
    });
    expect(resolveProject({ project: '123', product: 3 }, record, member()).alias).toBeUndefined();
    expect(resolveProject({ project: '124' }, record, member())).toEqual({
      project: '124',
      product: 1,
      label: 'Project 124',
      word: '124',
      alias: undefined,
      currency: 'EUR',
      connection: undefined,
      isOwnProduct: false,
    });
  });

  it('is found by ID and product if two aliases share the ID', () => {
    const record = recordOf([project('prod'), project('logs', { product: 2 })]);
    expect(resolveProject({ project: '123', product: 2 }, record, member()).alias).toBe('logs');
    expect(resolveProject({ project: '123' }, record, member()).alias).toBe('prod');
    expect(resolveProject({ project: '123', product: 3 }, record, member()).alias).toBeUndefined();
  });

  it('is the channel’s default project if the question names no project', () => {
    const record = recordOf([project('prod'), project('logs', { id: '7' })], { [`channel:${HERE}`]: 'logs' });
    expect(resolveProject({}, record, member()).alias).toBe('logs');
    expect(() => resolveProject({}, record, member(ELSEWHERE))).toThrow(aFailure('project-missing'));
    expect(() => resolveProject({}, record, member(null))).toThrow(aFailure('project-missing'));
  });

  it('is unknown if the channel’s default project was removed or limited to other channels', () => {
    expect(() => resolveProject({}, recordOf([], { [`channel:${HERE}`]: 'gone' }), member())).toThrow(
      aFailure('project-missing'),
    );
    const limited = recordOf([project('prod', { channels: [ELSEWHERE] })], { [`channel:${HERE}`]: 'prod' });
    expect(() => resolveProject({}, limited, member())).toThrow(aFailure('project-missing'));
    expect(() => resolveProject({}, limited, manager)).toThrow(aFailure('project-missing'));
  });

  it('can’t be determined if the workspace has no connection to billing', () => {
    expect(() => resolveProject({}, recordOf([], {}, false), member())).toThrow(aFailure('not-connected'));
  });

  it('is unknown if no project has the alias that the question names', () => {
    expect(() => resolveProject({ alias: 'gone' }, recordOf([]), member())).toThrow(
      aFailure('project-missing'),
    );
  });

  it('can’t be an unregistered ID while the record of a project is damaged', () => {
    const resolved = (fields: RecordFields) =>
      resolveProject({ project: '999' }, recordOf([project('prod')], fields), member());
    expect(() => resolved(DAMAGED)).toThrow(aFailure('unseal-failed'));
    expect(resolved({ 'schedule:bad': '{' }).project).toBe('999');
  });
});

describe('a project’s channel limit', () => {
  const prod = project('prod', { channels: [HERE] });

  it.each([
    ['its alias', { alias: 'prod' }],
    ['its ID', { project: '123' }],
    ['its ID and its product', { project: '123', product: 1 }],
    ['its ID and another product', { project: '123', product: 3 }],
    ['its alias and another product', { alias: 'prod', product: 2 }],
  ] as const)('applies to a project named by %s, but not to managers', (_, named) => {
    const record = recordOf([prod]);
    expect(resolveProject(named, record, member(HERE)).project).toBe('123');
    for (const place of [member(ELSEWHERE), member(null), member('D0DIRECT')])
      expect(() => resolveProject(named, record, place)).toThrow(aFailure('not-allowed'));
    expect(resolveProject(named, record, { channel: undefined, isUnlimited: true }).project).toBe('123');
  });

  it('applies to all products of the project’s ID, except a product registered without a limit', () => {
    const record = recordOf([prod, project('logs', { product: 2 })]);
    expect(resolveProject({ alias: 'logs' }, record, member(ELSEWHERE)).product).toBe(2);
    expect(resolveProject({ project: '123', product: 2 }, record, member(ELSEWHERE)).alias).toBe('logs');
    for (const named of [
      { alias: 'logs', product: 1 },
      { alias: 'logs', product: 3 },
      { project: '123' },
      { project: '123', product: 3 },
    ] as const)
      expect(() => resolveProject(named, record, member(ELSEWHERE))).toThrow(aFailure('not-allowed'));
  });

  it('applies to each alias of the project, whichever alias was added first', () => {
    for (const names of [
      [prod, project('ok-name')],
      [project('a-first'), prod, project('zz-last')],
      [
        project('open'),
        project('shut', { channels: [HERE, 'C0THIRD'] }),
        project('tight', { channels: [HERE] }),
      ],
    ]) {
      const record = recordOf(names);
      for (const named of [
        ...names.map(({ alias }) => ({ alias })),
        { project: '123' },
        { project: '123', product: 3 },
      ] as const) {
        expect(resolveProject(named, record, member(HERE)).project).toBe('123');
        for (const place of [member(ELSEWHERE), member('C0THIRD'), member(null)])
          if (!names.every(({ channels }) => channels.length === 0 || channels.includes(place.channel ?? '')))
            expect(() => resolveProject(named, record, place)).toThrow(aFailure('not-allowed'));
      }
      expect(visibleProjects(record, member(ELSEWHERE))).toEqual([]);
      expect(visibleProjects(record, member(HERE))).toHaveLength(names.length);
      expect(limitedProjects(ELSEWHERE, [{ id: '123', product: 1 }], record)).toHaveLength(1);
      const listed = resolveProjects('all', undefined, record, member(HERE));
      expect(listed.map((one) => ('failure' in one ? one.failure : one.project))).toEqual(['123']);
    }
  });

  it('allows only channels that all aliases of the project have in common', () => {
    const record = recordOf([prod, project('other', { channels: [ELSEWHERE] })]);
    for (const alias of ['prod', 'other'])
      for (const place of [member(HERE), member(ELSEWHERE), member(null)])
        expect(() => resolveProject({ alias }, record, place)).toThrow(aFailure('not-allowed'));
    expect(resolveProject({ alias: 'other' }, record, manager).project).toBe('123');
  });

  it('is assumed for other products of a project’s ID while another project’s record is damaged', () => {
    const record = recordOf([project('open')], DAMAGED);
    expect(resolveProject({ alias: 'open' }, record, member()).product).toBe(1);
    expect(() => resolveProject({ alias: 'open', product: 2 }, record, member())).toThrow(
      aFailure('not-allowed'),
    );
  });

  it('doesn’t apply to projects with another ID', () => {
    const record = recordOf([prod, project('dev', { id: '124' })]);
    expect(resolveProject({ alias: 'dev' }, record, member(ELSEWHERE)).project).toBe('124');
    expect(resolveProject({ project: '124', product: 3 }, record, member(ELSEWHERE)).project).toBe('124');
  });

  it('decides which projects people can choose in a channel', () => {
    const record = recordOf([prod, project('dev', { id: '124' })]);
    const names = (place: ProjectScope) => visibleProjects(record, place).map(({ alias }) => alias);
    expect(names(member(HERE))).toEqual(['dev', 'prod']);
    expect(names(member(ELSEWHERE))).toEqual(['dev']);
    expect(names(member(null))).toEqual(['dev']);
    expect(names({ channel: undefined, isUnlimited: true })).toEqual(['dev', 'prod']);
  });
});

describe('several projects', () => {
  const projects = [
    project('prod'),
    project('dev', { id: '124' }),
    project('secret', { id: '7', channels: [ELSEWHERE] }),
  ];
  const record = recordOf(projects);
  const damaged = recordOf(projects, DAMAGED);
  const labels = (...given: Parameters<typeof resolveProjects>) =>
    resolveProjects(...given).map((one) =>
      'failure' in one ? `${one.label} (${one.failure.kind})` : one.label,
    );

  it('are found separately, and each only once', () => {
    const named = [
      { alias: 'prod' },
      { project: '124' },
      { alias: 'dev' },
      { project: '9' },
      { project: '9' },
    ];
    expect(labels(named, undefined, record, member())).toEqual(['prod', 'dev', 'Project 9']);
    const [first] = resolveProjects([{ alias: 'prod' }], 3, record, member());
    expect(first).toMatchObject({ project: '123', product: 3 });
  });

  it('with the same ID count as two if their products differ', () => {
    const two = recordOf([project('prod'), project('logs', { product: 2 })]);
    expect(labels([{ alias: 'prod' }, { alias: 'logs' }], undefined, two, member())).toEqual([
      'prod',
      'logs',
    ]);
    expect(labels([{ alias: 'prod' }, { alias: 'logs' }], 2, two, member())).toEqual(['prod']);
  });

  it('get one result each, even if one of them can’t be used', () => {
    expect(
      labels([{ alias: 'prod' }, { alias: 'secret' }, { project: '7' }], undefined, record, member()),
    ).toEqual(['prod', 'secret (not-allowed)', 'Project 7 (not-allowed)']);
    expect(labels([{ alias: 'prod' }, { alias: 'bad' }], undefined, damaged, member())).toEqual([
      'prod',
      'bad (unseal-failed)',
    ]);
  });

  it('include each project that people can ask about in the channel if the question says “all”', () => {
    expect(labels('all', undefined, record, member())).toEqual(['dev', 'prod']);
    expect(labels('all', undefined, record, manager)).toEqual(['dev', 'prod', 'secret']);
    const secret = project('secret', { channels: [ELSEWHERE] });
    const none = recordOf([secret]);
    expect(() => resolveProjects('all', undefined, none, member())).toThrow(aFailure('project-missing'));
    const unconnected = recordOf([secret], {}, false);
    expect(() => resolveProjects('all', undefined, unconnected, member())).toThrow(aFailure('not-connected'));
  });

  it('are each called by the name registered first, unless the question uses another name', () => {
    const [first, second] = [project('staging', { addedAt: 1 }), project('jan-prod', { addedAt: 2 })];
    const twice = recordOf([first, second]);
    expect(labels('all', undefined, twice, member())).toEqual(['staging']);
    expect(resolveProject({ project: '123' }, twice, member()).label).toBe('staging');
    expect(resolveProject({ alias: 'jan-prod' }, twice, member()).label).toBe('jan-prod');
    expect(projectLabel({ id: '123', product: 1 }, twice)).toBe('staging');
  });
});

describe('the connection of a project', () => {
  const CONNECTIONS = ['main', 'eu'].map((name) => ({
    name,
    baseUrl: `https://${name}.example.com`,
    token: `token of ${name}`,
  }));
  const record = workspaceOf({ connections: CONNECTIONS });
  const opened = (connection: string | undefined, of = record) =>
    openConnection(of, { connection, label: 'prod', alias: 'prod' });

  it('is the project’s own or the default connection, with a decrypted token', () => {
    expect(opened('eu')).toMatchObject({
      workspace: 'T1',
      connection: 'eu',
      baseUrl: 'https://eu.example.com',
      token: 'token of eu',
    });
    expect(opened(undefined).token).toBe('token of main');
  });

  it('is never replaced by another connection', () => {
    expect(() => opened('us')).toThrow(aFailure('connection-missing'));
    const withoutDefault = workspaceOf({ connections: CONNECTIONS, settings: { connection: 'us' } });
    expect(() => opened(undefined, withoutDefault)).toThrow(aFailure('connection-missing'));
    expect(() => opened('us', workspaceOf({ connections: [] }))).toThrow(aFailure('not-connected'));
    const damaged = workspaceOf({ connections: CONNECTIONS, fields: { 'connection:us': '{' } });
    expect(() => opened('us', damaged)).toThrow(aFailure('unseal-failed', 'malformed'));
  });
});

describe('a project of a schedule or watch', () => {
  it('is reported as limited if the channel may not see this project', () => {
    const projects = [project('prod'), project('secret', { id: '7', channels: [ELSEWHERE] })];
    const record = recordOf(projects);
    const chosen = [
      { id: '123', product: 1 },
      { id: '7', product: 1 },
      { id: '9', product: 1 },
    ] as const;
    expect(limitedProjects(HERE, chosen, record)).toEqual([chosen[1]]);
    expect(limitedProjects(ELSEWHERE, chosen, record)).toEqual([]);
    const damaged = recordOf(projects, DAMAGED);
    // A record that can't be read may be the alias that limits an unregistered project.
    expect(limitedProjects(HERE, chosen, damaged)).toEqual([chosen[1], chosen[2]]);
  });
});
