import { pluralize } from '../../domain/language/text.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { actions, button, context, escapeMarkup, type Message, markup } from '../../slack/kit/blocks.ts';
import { describeToken } from '../../workspace/credentials/connection-record.ts';
import { formatExpiry } from '../../workspace/credentials/expiry.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { connectionsOf } from '../posts/schedule-pauses.ts';
import type { Credential, ReminderStep } from './reminder-plan.ts';

export interface ReminderView {
  readonly credential: Credential;
  readonly step: ReminderStep;
  readonly to: string;
  readonly isForAdmin?: boolean;
  readonly at: Millis;
}

/** Schedules and watches that ask billing with this token. */
export function dependentsOf(
  { kind, name }: Credential,
  workspace: Workspace,
): { readonly schedules: readonly Schedule[]; readonly watches: readonly Watch[] } {
  if (kind === 'access') return { schedules: [], watches: [] };
  const uses = (item: Schedule | Watch) => connectionsOf(item, workspace).includes(name);
  return { schedules: workspace.schedules.filter(uses), watches: workspace.watches.filter(uses) };
}

/** Says that a credential expires or was rejected, with a button to replace it for those who can. */
export function reminderNotice(view: ReminderView, workspace: Workspace): Message {
  const { credential, to, isForAdmin = false } = view;
  const title = titleOf(view, workspace);
  const canReplace = isForAdmin || to === credential.registeredBy || workspace.settings.managers.includes(to);
  const lines = [
    `*${escapeMarkup(title)}*`,
    ...effectOf(view, workspace),
    canReplace ? '' : 'Only Tally managers can replace it. Ask one of them.',
  ];
  return {
    text: title,
    blocks: [
      markup(lines.filter(Boolean).join('\n')),
      ...(canReplace ? [actions(replaceButton(credential))] : []),
      context(detailsOf(credential, workspace).map(escapeMarkup).join(' · ')),
    ],
  };
}

const replaceButton = ({ kind, name }: Credential) =>
  kind === 'connection'
    ? button('connect', 'Replace token…', { value: name, style: 'primary' })
    : button('access-form', 'Replace access…', { value: name, style: 'primary' });

function titleOf({ credential, step, at }: ReminderView, workspace: Workspace): string {
  const { kind, name, expiresAt } = credential;
  const alias = workspace.projects.find(({ id }) => id === name)?.alias ?? `project ${name}`;
  const what =
    kind === 'connection' ? `access token of connection ${name}` : `application access of ${alias}`;
  if (step === 'rejected')
    return `The ${kind === 'connection' ? 'billing' : 'identity'} service rejected the ${what}`;
  const expiry =
    expiresAt === undefined ? 'expires' : formatExpiry({ expiresAt }, at, workspace.settings.zone);
  return `The ${what} ${expiry}`;
}

function effectOf({ credential, step }: ReminderView, workspace: Workspace): readonly string[] {
  if (credential.kind === 'access')
    return step === 'rejected'
      ? ['Nobody can get an OS_TOKEN with it. It may have expired or been revoked.']
      : ['Nobody can get an OS_TOKEN with it after that.'];
  const { schedules, watches } = dependentsOf(credential, workspace);
  const parts = [
    ...(schedules.length > 0 ? [pluralize(schedules.length, 'scheduled post')] : []),
    ...(watches.length > 0 ? [watches.length === 1 ? '1 watch' : `${watches.length} watches`] : []),
  ].join(' and ');
  if (step === 'rejected')
    return [
      'It may have expired or been revoked.',
      ...(parts === ''
        ? []
        : [`Waiting for another token: ${parts}. Everything resumes once it is replaced.`]),
    ];
  return [
    'Replace it before then, and everything keeps working.',
    ...(parts === '' ? [] : [`What needs it: ${parts}.`]),
  ];
}

function detailsOf({ kind, name }: Credential, workspace: Workspace): readonly string[] {
  const connection = kind === 'connection' ? workspace.connections.get(name) : undefined;
  if (connection !== undefined) return [describeToken(connection)];
  const lastFour = workspace.accesses.get(name)?.lastFour.replaceAll('·', '');
  return lastFour === undefined ? [] : [`access ending ${lastFour}`, `project ${name}`];
}
