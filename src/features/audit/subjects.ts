import type { AuditedTokenOutcome, AuditSubject, RecordedEntry } from '../../workspace/record/audit.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { SETTING_NAMES, type Settings } from '../../workspace/settings.ts';

export type ItemTexts = Partial<
  Record<'schedule' | 'watch', (json: string, workspace: Workspace) => string | undefined>
>;

/** What an entry is about, plain, with the IDs of channels and people. */
export type SubjectTexts = (entry: Pick<RecordedEntry, 'action' | 'about'>) => string;

export const createSubjectTexts =
  (items: ItemTexts, workspace: Workspace): SubjectTexts =>
  ({ action, about }) => {
    if (about === undefined) return '';
    return 'item' in about ? (items[about.kind]?.(about.item, workspace) ?? '') : subjectText(about, action);
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
        Object.hasOwn(SETTING_NAMES, name) ? SETTING_NAMES[name as keyof Settings] : name,
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

const OUTCOMES: Readonly<Record<AuditedTokenOutcome, string>> = {
  'not-shown': 'not shown',
  unclear: 'outcome unclear',
  'test-revoked': 'revoked',
  'test-not-revoked': 'not revoked',
  'test-unclear': 'may not be revoked',
  alive: 'still accepted',
  'already-dead': 'had expired already',
};
