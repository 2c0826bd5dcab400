import { createHash } from 'node:crypto';
import { commandText } from '../../domain/commands.ts';
import { EditConflict, UnsealFailed } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { tryRead } from '../../domain/try-read.ts';
import { FIELDS } from '../../redis/keys.ts';
import { type Project, parseProject } from '../projects/projects.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { RecordFields } from './workspace-store.ts';

/**
 * Whether a field still means the same. A secret resealed with another key does. Settings always do, because
 * `findSettingsConflict` compares them part by part; so does the result of a delivery, which no person changes.
 */
export function isSameField(field: string, before: string | undefined, now: string | undefined): boolean {
  if (before === now || field === FIELDS.settings || field.startsWith(FIELDS.sent)) return true;
  return before !== undefined && now !== undefined && withoutSeal(before) === withoutSeal(now);
}

function withoutSeal(text: string): string {
  return tryRead(() => JSON.stringify({ ...JSON.parse(text), sealed: undefined })) ?? text;
}

/** A fingerprint of the field's value. A form carries it until it is submitted, to notice a change in between. */
export const stampOf = ({ fields }: { readonly fields: RecordFields }, field: string): string => {
  const text = fields[field];
  return text === undefined ? '-' : createHash('sha256').update(withoutSeal(text)).digest('hex').slice(0, 12);
};

/** @param stamp from when the form was opened @throws EditConflict if somebody has changed the field since */
export function requireUnchanged(
  workspace: { readonly fields: RecordFields },
  field: string,
  stamp: string,
): void {
  if (stampOf(workspace, field) !== stamp)
    throw new EditConflict(describeCurrent(field, workspace.fields, workspace.fields));
}

/** What a field holds now, as a sentence for the person whose change came too late. */
export function describeCurrent(field: string, before: RecordFields, now: RecordFields): string {
  const after = (prefix: string) => (field.startsWith(prefix) ? field.slice(prefix.length) : undefined);
  const alias = after(FIELDS.project);
  if (alias !== undefined) return describeProject(alias, projectIn(before, alias), now);
  const name = after(FIELDS.connection);
  if (name !== undefined)
    return now[field] === undefined
      ? `The connection ${name} was removed.`
      : `The connection ${name} was changed. See ${commandText('/billing status')}.`;
  if (after(FIELDS.access) !== undefined)
    return `The application access was ${now[field] === undefined ? 'removed' : 'changed'}. See ${commandText('/billing status')}.`;
  if (after(FIELDS.channel) !== undefined)
    return now[field] === undefined
      ? 'The channel no longer has a default project.'
      : `The channel’s default project is now ${now[field]}.`;
  if (after(FIELDS.schedule) !== undefined)
    return `The schedule was ${now[field] === undefined ? 'removed' : 'changed'}. See ${commandText('/billing schedules')}.`;
  if (after(FIELDS.watch) !== undefined)
    return now[field] === undefined ? 'The watch was removed.' : 'Somebody else changed the watch.';
  return 'Check what it says now.';
}

function describeProject(alias: string, before: Project | undefined, now: RecordFields): string {
  const project = projectIn(now, alias);
  if (project !== undefined)
    return `${alias} is now project ${project.id} (${PRODUCTS[project.product].name}). See ${commandText('/billing projects')} ${alias}.`;
  if (now[FIELDS.project + alias] !== undefined) return `The record of ${alias} is damaged.`;
  const moved = Object.keys(now)
    .filter((field) => field.startsWith(FIELDS.project))
    .flatMap((field) => projectIn(now, field.slice(FIELDS.project.length)) ?? [])
    .find(({ addedAt, addedBy }) => addedAt === before?.addedAt && addedBy === before.addedBy);
  return moved === undefined ? `${alias} was removed.` : `${alias} is now named ${moved.alias}.`;
}

/** Returns undefined if it is missing or damaged. */
const projectIn = (fields: RecordFields, alias: string): Project | undefined =>
  tryRead(() => parseProject(alias, fields[FIELDS.project + alias] ?? ''), UnsealFailed);

/** Returns a sentence about the settings that somebody else changed too; undefined when there are none. */
export function findSettingsConflict(
  before: RecordFields,
  now: RecordFields,
  parts: readonly (keyof Settings)[],
): string | undefined {
  const [old, current] = [before, now].map(({ settings }) => readSettings(settings));
  const conflicts = parts.filter((part) => String(old?.[part]) !== String(current?.[part]));
  if (conflicts.length === 0) return undefined;
  const values = conflicts.map((part) => `${PART_NAMES[part]}: ${describeValue(current?.[part])}`).join('; ');
  return `It’s now ${values}.`;
}

const describeValue = (value: Settings[keyof Settings] | undefined): string => {
  if (Array.isArray(value)) return `${value.length} named`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === undefined || value === '' ? 'none' : String(value);
};

const PART_NAMES: Readonly<Record<keyof Settings, string>> = {
  zone: 'reporting time zone',
  visibility: 'answers are for the',
  currency: 'currency label',
  locale: 'number format',
  managers: 'people who manage',
  managerGroups: 'user groups that manage',
  guests: 'guests may ask',
  externals: 'external people may ask',
  connection: 'default connection',
};
