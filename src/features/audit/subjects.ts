import type { AuditedItem } from '../../slack/owned/owned-kind.ts';
import type { AuditedTokenOutcome, AuditSubject, RecordedEntry } from '../../workspace/record/audit.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Settings } from '../../workspace/settings.ts';

export type ItemTexts = Partial<
  Record<'schedule' | 'watch', (json: string, workspace: Workspace) => AuditedItem | undefined>
>;

/** What an entry is about, plain, with the IDs of channels and people. `whole` also tells two like schedules apart, by their IDs. */
export type SubjectTexts = (
  entry: Pick<RecordedEntry, 'action' | 'about'>,
) => Record<'short' | 'whole', string>;

export const createSubjectTexts =
  (items: ItemTexts, workspace: Workspace): SubjectTexts =>
  ({ action, about }) => {
    if (about !== undefined && 'item' in about) {
      const { id = '', text = '' } = items[about.kind]?.(about.item, workspace) ?? {};
      return { short: text, whole: [id, text].filter(Boolean).join(': ') };
    }
    const text = about === undefined ? '' : subjectText(about, action);
    return { short: text, whole: text };
  };

function subjectText(about: Exclude<AuditSubject, { readonly item: string }>, action: string): string {
  switch (about.kind) {
    case 'connection':
      return action === 'expiry changed' ? `connection ${about.name}` : about.name;
    case 'project':
      return projectChangeText(about);
    case 'channel':
      return `${about.channel}: ${about.alias ?? 'none'}`;
    case 'settings': {
      const changed = about.changed.map((name) =>
        Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof Settings] : name,
      );
      return [...new Set([...(about.isDamaged ? ['damaged settings replaced'] : []), ...changed])].join(', ');
    }
    case 'token': {
      const { isTest, token, outcome } = about;
      const outcomeText = outcome && OUTCOMES[outcome];
      return [projectText(about), isTest && 'test', token && `token ${token}`, outcomeText]
        .filter(Boolean)
        .join(' · ');
    }
    case 'damaged':
      return `${about.ids.join(', ')} (the record was damaged)`;
    case 'installation':
      return about.isOrganization ? 'for the organization' : 'for the workspace';
  }
}

function projectChangeText({
  before,
  changed,
  ...project
}: Extract<AuditSubject, { readonly kind: 'project' }>): string {
  if (changed === undefined) return projectText(project);
  const name = before === undefined ? project.alias : `${before} to ${project.alias}`;
  return [name, changed.length > 0 && changed.join(', ')].filter(Boolean).join(': ');
}

/** `prod (project 123)`; `project 123` without a name. */
function projectText({ alias, id }: { readonly alias?: string; readonly id?: string }): string {
  if (alias === undefined) return `project ${id}`;
  return id === undefined ? `${alias} (its record was damaged)` : `${alias} (project ${id})`;
}

const SETTINGS: Readonly<Record<keyof Settings, string>> = {
  zone: 'reporting time zone',
  visibility: 'default visibility',
  currency: 'currency label',
  locale: 'number format',
  managers: 'who manages',
  managerGroups: 'who manages',
  guests: 'whether guests may ask',
  externals: 'whether external people may ask',
  connection: 'default connection',
};

const OUTCOMES: Readonly<Record<AuditedTokenOutcome, string>> = {
  'not-shown': 'not shown',
  unclear: 'outcome unclear',
  'test-revoked': 'revoked',
  'test-not-revoked': 'not revoked',
  'test-unclear': 'may not be revoked',
  alive: 'still accepted',
  'already-dead': 'had expired already',
};
