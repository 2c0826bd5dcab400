import * as z from 'zod';
import { isCurrencyLabel } from '../../domain/money/amount.ts';
import { millis, parseNamedRecord, product, projectId, slackId } from '../record/parse-record.ts';

/** Limits the record, which every request reads whole. */
export const MAX_PROJECTS = 200;

export const isAlias = (text: string): boolean => /^[a-z][a-z0-9-]{1,31}$/.test(text);

const schema = z.object({
  /** 2 to 32 lower-case letters, digits and hyphens; starts with a letter; not a period, product or command word. */
  alias: z.string(),
  id: projectId,
  product,
  /** Its connection; default if absent. */
  connection: z.string().exactOptional(),
  /** Overrides the workspace's currency. */
  currency: z.string().exactOptional(),
  /** Channels where people can ask about it; empty means all. */
  channels: z.array(z.string()).readonly(),
  owner: slackId,
  addedBy: z.string(),
  addedAt: millis,
});

export type Project = Readonly<z.infer<typeof schema>>;

/** An invalid currency isn't worth losing the project, so drop it. */
const stored = schema.transform((project): Project => {
  const { currency = '', ...rest } = project;
  return isCurrencyLabel(currency) ? project : rest;
});

const KIND = 'project';

/** @param alias the field it was read from @throws unseal-failed */
export const parseProject = (alias: string, json: string): Project =>
  parseNamedRecord(stored, json, 'alias', alias, KIND);
