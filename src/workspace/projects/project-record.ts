import * as z from 'zod';
import { isCurrencyLabel } from '../../domain/money/amount.ts';
import { millis, parseNamedRecord, product, projectId, slackId } from '../record/record-schemas.ts';

export const MAX_PROJECTS = 200;

export const isAlias = (text: string): boolean => /^[a-z][a-z0-9-]{1,31}$/.test(text);

const schema = z.object({
  /** 2 to 32 lower-case letters, digits and hyphens. Starts with a letter. No period, product or command word. */
  alias: z.string(),
  id: projectId,
  product,
  connection: z.string().exactOptional(),
  currency: z.string().exactOptional(),
  /** Where people can ask about the project; empty for all channels. */
  channels: z.array(z.string()).readonly(),
  owner: slackId,
  addedBy: z.string(),
  addedAt: millis,
});

export type Project = Readonly<z.infer<typeof schema>>;

/** Drops an invalid currency, so that the rest of the project can still be used. */
const stored = schema.transform((project): Project => {
  const { currency = '', ...rest } = project;
  return isCurrencyLabel(currency) ? project : rest;
});

const KIND = 'project';

export const parseProject = (alias: string, json: string): Project =>
  parseNamedRecord(stored, json, 'alias', alias, KIND);
