/** Workspace T1's record, parsed from fields as Redis holds them, and requests with it. No Redis or Slack runs. */
import { pino } from 'pino';
import { createLastClicks, createReply } from '../../src/slack/reply/reply.ts';
import { channelsOf } from '../../src/slack/request/channels.ts';
import { sourceOfPayload } from '../../src/slack/request/payload.ts';
import type { Request } from '../../src/slack/request/request.ts';
import { BACKGROUND_OPTIONS, createClientFactory } from '../../src/slack/web-client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import {
  type NewAccess,
  type NewConnection,
  serializeAccess,
  serializeConnection,
} from '../../src/workspace/credentials/credential-records.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { type Schedule, serializeWatch, type Watch } from '../../src/workspace/record/automation-records.ts';
import { parseWorkspace, type Workspace } from '../../src/workspace/record/workspace.ts';
import type { RecordFields } from '../../src/workspace/record/workspace-store.ts';
import { permissionsOf } from '../../src/workspace/roles-and-rights.ts';
import { DEFAULT_SETTINGS, type Settings, serializeSettings } from '../../src/workspace/settings.ts';
import { QUIET } from './delivery-runner.ts';
import { ACCESS, MAIN, PROD } from './workspace-store.ts';

/** A missing part has the default of `workspace-store.ts`. */
export interface RecordParts {
  readonly settings?: Partial<Settings>;
  /** Only the connection `main` if absent. */
  readonly connections?: readonly Partial<NewConnection>[];
  readonly accesses?: readonly Partial<NewAccess>[];
  readonly projects?: readonly Partial<Project>[];
  readonly schedules?: readonly Schedule[];
  readonly watches?: readonly Watch[];
  readonly fields?: RecordFields;
}

const { lifetime: _, ...CONNECTION } = MAIN;

const KEYRING = createKeyring([{ id: 'k', key: Buffer.alloc(32) }]);

export function fieldsOf(parts: RecordParts, keyring = KEYRING, teamId = 'T1'): RecordFields {
  const { settings, connections = [{}], accesses = [], projects = [], schedules = [], watches = [] } = parts;
  const entries: (readonly [field: string, value: string])[] = [
    ...connections.map((given) => {
      const connection = { ...CONNECTION, ...given };
      return [
        `connection:${connection.name}`,
        serializeConnection(keyring, teamId, connection).json,
      ] as const;
    }),
    ...accesses.map((given) => {
      const access = { ...ACCESS, ...given };
      return [`access:${access.project}`, serializeAccess(keyring, teamId, access).json] as const;
    }),
    ...projects.map((given) => {
      const project = { ...PROD, ...given };
      return [`project:${project.alias}`, JSON.stringify(project)] as const;
    }),
    ...schedules.map((schedule) => [`schedule:${schedule.id}`, JSON.stringify(schedule)] as const),
    ...watches.map((watch) => [`watch:${watch.id}`, serializeWatch(watch)] as const),
  ];
  if (settings) entries.push(['settings', serializeSettings({ ...DEFAULT_SETTINGS, ...settings })]);
  return { ...Object.fromEntries(entries), ...parts.fields };
}

export const workspaceOf = (parts: RecordParts = {}): Workspace =>
  parseWorkspace('T1', fieldsOf(parts), KEYRING);

const unasked = () => Promise.reject(new Error('Slack isn’t asked here.'));
const SILENT = pino({ level: 'silent' });
/** Nothing answers on this port. */
const CLIENT = createClientFactory({
  ...BACKGROUND_OPTIONS,
  logger: QUIET,
  slackApiUrl: 'http://127.0.0.1:9/',
})('xoxb-T1', 'T1');

/** A request of U1 in channel C1. A call to Slack that the test doesn't give fails. */
export function requestOf({
  user,
  reply,
  slack,
  ...given
}: Partial<Omit<Request, 'user' | 'reply' | 'slack'>> & {
  readonly user?: Partial<Request['user']>;
  readonly reply?: Partial<Request['reply']>;
  readonly slack?: Partial<Request['slack']>;
} = {}): Request {
  const { workspace = workspaceOf() } = given;
  const at = Date.UTC(2026, 10, 21, 10, 15);
  const source = sourceOfPayload({ team_id: 'T1', user_id: 'U1', channel_id: 'C1' }, { via: 'command', at });
  return {
    at,
    channel: 'C1',
    sharedFrom: undefined,
    sharedBy: undefined,
    workspace,
    isUnlimited: false,
    audience: 'asker',
    locale: 'en-US',
    recordError: () => undefined,
    mayShare: () => true,
    user: {
      teamId: 'T1',
      id: 'U1',
      locale: 'en-US',
      zone: undefined,
      ...permissionsOf(user?.role ?? 'member', workspace.settings, false),
      ...user,
    },
    reply: {
      ...createReply(
        { responseUrls: { post: unasked }, log: SILENT, lastClicks: createLastClicks() },
        source,
        CLIENT,
      ),
      ...reply,
    },
    slack: {
      channels: channelsOf(CLIENT),
      userGroups: unasked,
      isInGroups: unasked,
      roleOf: unasked,
      permissionsOf: unasked,
      managers: unasked,
      ...slack,
    },
    ...given,
  };
}
