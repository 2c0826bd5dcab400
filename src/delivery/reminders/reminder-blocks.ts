import type { Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  actions,
  button,
  compact,
  context,
  escapeMarkup,
  joinTexts,
  type Message,
  markup,
} from '../../slack/kit/blocks.ts';
import { describeToken } from '../../workspace/credentials/connection-record.ts';
import { formatExpiry } from '../../workspace/credentials/expiry.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

export interface ReminderView {
  readonly kind: 'connection' | 'access';
  readonly name: string;
  readonly step: '14' | '3' | '1' | 'rejected';
  /** What has become of the credential since. */
  readonly state: 'open' | 'works' | 'replaced' | 'removed';
  readonly at: Millis;
  readonly expiresAt: Millis | undefined;
}

/** Schedules and watches that ask billing with this token. */
export function dependentsOf(
  { kind, name }: Pick<ReminderView, 'kind' | 'name'>,
  workspace: Workspace,
): { readonly schedules: readonly Schedule[]; readonly watches: readonly Watch[] } {
  if (kind === 'access') return { schedules: [], watches: [] };
  const uses = (item: Schedule | Watch) => connectionsOf(item, workspace).includes(name);
  return { schedules: workspace.schedules.filter(uses), watches: workspace.watches.filter(uses) };
}

/** Says that a credential expires or was rejected, with a button to replace it for those who can; or that it is over. */
export function reminderNotice(view: ReminderView, workspace: Workspace, canReplace: boolean): Message {
  const title = titleOf(view, workspace);
  const isOpen = view.state === 'open';
  const lines = [
    `*${escapeMarkup(title)}*`,
    ...(isOpen ? effectOf(view, workspace) : []),
    isOpen && !canReplace && 'Only Tally managers can replace it. Ask one of them.',
  ];
  const details = detailsOf(view, workspace);
  return {
    text: title,
    blocks: compact([
      markup(joinTexts('\n', lines)),
      isOpen && canReplace && actions(replaceButton(view)),
      details !== '' && context(escapeMarkup(details)),
    ]),
  };
}

const replaceButton = ({ kind, name }: ReminderView) =>
  kind === 'connection'
    ? button('connect', 'Replace token…', { value: name, style: 'primary' })
    : button('access-form', 'Replace access…', { value: name, style: 'primary' });

const OVER = { works: 'works again', replaced: 'was replaced', removed: 'was removed' } as const;

function titleOf({ kind, name, step, state, at, expiresAt }: ReminderView, workspace: Workspace): string {
  const alias = workspace.projects.find(({ id }) => id === name)?.alias ?? `project ${name}`;
  const what =
    kind === 'connection' ? `access token of connection ${name}` : `application access of ${alias}`;
  if (state !== 'open') return `The ${what} ${OVER[state]}`;
  if (step === 'rejected')
    return `The ${kind === 'connection' ? 'billing' : 'identity'} service rejected the ${what}`;
  const expiry =
    expiresAt === undefined ? 'expires' : formatExpiry({ expiresAt }, at, workspace.settings.zone);
  return `The ${what} ${expiry}`;
}

function effectOf(view: ReminderView, workspace: Workspace): readonly string[] {
  const isRejected = view.step === 'rejected';
  if (view.kind === 'access')
    return isRejected
      ? ['Nobody can get an OS_TOKEN with it. It may have expired or been revoked.']
      : ['Nobody can get an OS_TOKEN with it after that.'];
  const { schedules, watches } = dependentsOf(view, workspace);
  const parts = joinTexts(' and ', [
    schedules.length > 0 && pluralize(schedules.length, 'scheduled post'),
    watches.length > 0 && (watches.length === 1 ? '1 watch' : `${watches.length} watches`),
  ]);
  const [first, lead, rest] = isRejected
    ? [
        'It may have expired or been revoked.',
        'Waiting for another token:',
        ' Everything resumes once it is replaced.',
      ]
    : ['Replace it before then, and everything keeps working.', 'What needs it:', ''];
  return parts === '' ? [first] : [first, `${lead} ${parts}.${rest}`];
}

function detailsOf({ kind, name }: ReminderView, workspace: Workspace): string {
  const connection = kind === 'connection' ? workspace.connections.get(name) : undefined;
  if (connection !== undefined) return describeToken(connection);
  const lastFour = workspace.accesses.get(name)?.lastFour.replaceAll('·', '');
  return lastFour === undefined ? '' : `access ending ${lastFour} · project ${name}`;
}
