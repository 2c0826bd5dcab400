import { randomBytes } from 'node:crypto';
import { OWNER } from '../../sandbox/slack/index.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import type { Project } from '../../src/workspace/projects.ts';
import { createWorkspaces } from '../../src/workspace/workspaces.ts';
import type { Bot } from './bot.ts';
import { changeIn } from './change.ts';

/** Registers a project without the form. */
export async function addProject(
  { redis }: Pick<Bot, 'redis'>,
  project: Pick<Project, 'alias' | 'id'> & Partial<Project>,
): Promise<void> {
  // No part of a project is sealed, so any key works.
  const keyring = createKeyring([{ id: 'none', key: randomBytes(32) }]);
  const added = { product: 1, channels: [], owner: OWNER, addedBy: OWNER, addedAt: 0, ...project } as const;
  const workspaces = createWorkspaces({ redis: redis.client, keyring });
  await workspaces.addProject(await changeIn(workspaces, 'T0SANDBOX1'), added);
}
