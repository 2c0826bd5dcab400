import { randomBytes } from 'node:crypto';
import { OWNER } from '../../sandbox/slack/index.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import type { WorkspaceChange } from '../../src/workspace/record/audited-change.ts';
import type { Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import type { AuditEntry } from '../../src/workspace/record/workspace-store.ts';
import { type Bot, goodToken } from './bot.ts';

/** Registers the fake billing service's read-only token without the form, which takes three times as long. */
export async function addConnection(
  { redis, billing, keyring }: Bot,
  registeredAt: number = Date.now(),
): Promise<void> {
  const workspaces = createWorkspaces({ redis: redis.client, keyring });
  await workspaces.saveConnection(await changeIn(workspaces, 'T0SANDBOX1'), {
    name: 'main',
    baseUrl: billing.url,
    token: goodToken(billing),
    role: 'read-only',
    lifetime: '90-days',
    registeredBy: OWNER,
    registeredAt,
  });
}

export const storedProject = (project: Pick<Project, 'alias' | 'id'> & Partial<Project>): Project => ({
  product: 1,
  channels: [],
  owner: OWNER,
  addedBy: OWNER,
  addedAt: 0,
  ...project,
});

export async function addProject(
  { redis }: Pick<Bot, 'redis'>,
  project: Parameters<typeof storedProject>[0],
): Promise<void> {
  // No part of a project is sealed, so any key works.
  const keyring = createKeyring([{ id: 'none', key: randomBytes(32) }]);
  const workspaces = createWorkspaces({ redis: redis.client, keyring });
  await workspaces.addProject(await changeIn(workspaces, 'T0SANDBOX1'), storedProject(project));
}

/** Registers projects without the form. Each alias has the project's ID, or the ID and other fields. */
export async function addProjects(
  bot: Pick<Bot, 'redis'>,
  projects: Readonly<Record<string, string | (Pick<Project, 'id'> & Partial<Project>)>>,
): Promise<void> {
  for (const [alias, given] of Object.entries(projects))
    await addProject(bot, { alias, ...(typeof given === 'string' ? { id: given } : given) });
}

/** Changes the record like somebody who has just read it. */
export async function changeIn(
  workspaces: Workspaces,
  teamId: string,
  ...entries: readonly AuditEntry[]
): Promise<WorkspaceChange> {
  return { workspace: await workspaces.load(teamId), entries };
}
