import { createAudit } from '../../src/workspace/record/audit.ts';
import type { Bot } from './bot.ts';

/** The newest entries of the sandbox's workspace, newest first. */
export const auditEntries = async ({ redis: { client } }: Bot) =>
  (await createAudit(client).page('T0SANDBOX1', 50)).entries;
