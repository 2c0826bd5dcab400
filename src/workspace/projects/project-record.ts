import * as z from 'zod';
import { isCurrencyLabel } from '../../domain/money/amount.ts';
import { millis, parseNamedRecord, product, projectId, slackId } from '../record/parse-record.ts';

/** Bounded because every request reads the whole record. */
export const MAX_PROJECTS = 200;

export const isAlias = (text: string): boolean => /^[a-z][a-z0-9-]{1,31}$/.test(text);

const schema = z.object({
  /** Lower case, begins with a letter, 2 to 32 letters, digits, hyphens; no period, product or verb. */
  alias: z.string(),
  id: projectId,
  product,
  /** Name of its connection; the workspace's default if absent. */
  connection: z.string().exactOptional(),
  /** The project's own currency label, used instead of the workspace's. */
  currency: z.string().exactOptional(),
  /** Slack IDs of the channels in which people may ask about it; all channels when empty. */
  channels: z.array(z.string()).readonly(),
  owner: slackId,
  addedBy: z.string(),
  addedAt: millis,
});

export type Project = Readonly<z.infer<typeof schema>>;

/** Drops an invalid currency label, which amounts don't need. */
const stored = schema.transform((project): Project => {
  const { currency = '', ...rest } = project;
  return isCurrencyLabel(currency) ? project : rest;
});

const KIND = 'project';

/** @param alias where the record was found @throws unseal-failed */
export const parseProject = (alias: string, json: string): Project =>
  parseNamedRecord(stored, json, 'alias', alias, KIND);
