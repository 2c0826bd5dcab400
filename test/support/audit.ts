import { createSubjectTexts } from '../../src/features/audit/subjects.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import type { Bot } from './bot.ts';

/** The newest entries of the sandbox's workspace, newest first, with what they are about as the list words it. */
export async function auditEntries({ redis: { client }, keyring, registry }: Bot) {
  const team = 'T0SANDBOX1';
  const workspace = await createWorkspaces({ redis: client, keyring }).load(team);
  const textOf = createSubjectTexts(registry.auditTexts(), workspace);
  return (await createAudit(client).page(team, 50)).entries.map((entry) => ({
    ...entry,
    about: textOf(entry),
  }));
}
