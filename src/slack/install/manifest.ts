/** The manifest of the Slack app, and the scopes that the app asks for. */
import * as z from 'zod';
import { problemText, webUrl } from '../../config/variables.ts';
import { commandText, type SlashCommand } from '../../domain/command-names.ts';

interface Scope {
  readonly scope: string;
  /** The words that complete “Tally asks for this scope …”. */
  readonly why: string;
  readonly optional?: boolean;
}

export const SCOPES: readonly Scope[] = [
  { scope: 'commands', why: 'to offer slash commands, such as /billing' },
  { scope: 'chat:write', why: 'to answer, and to post what people scheduled' },
  { scope: 'im:write', why: 'to send direct messages: form results, warnings, requests to a manager' },
  { scope: 'users:read', why: 'to know who is an owner, an admin or a guest, and how to write numbers' },
  { scope: 'app_mentions:read', why: 'to read mentions of Tally, also in threads' },
  { scope: 'im:history', why: 'to read direct messages to Tally' },
  { scope: 'channels:read', why: 'to check a public channel before posting there on schedule' },
  { scope: 'groups:read', why: 'to check a private channel it is in before posting there on schedule' },
  { scope: 'channels:join', why: 'to join a public channel where someone schedules a post', optional: true },
  {
    scope: 'channels:history',
    why: 'to check whether a scheduled post reached a public channel after an interruption, and not post it twice',
    optional: true,
  },
  {
    scope: 'groups:history',
    why: 'to check whether a scheduled post reached a private channel it is in',
    optional: true,
  },
  { scope: 'usergroups:read', why: 'to let a user group manage Tally', optional: true },
  { scope: 'reactions:write', why: 'to mark a mention that it answered privately', optional: true },
  { scope: 'files:write', why: 'to send figures as a CSV file', optional: true },
];

export interface ManifestChoices {
  readonly url?: string | undefined;
  readonly org?: boolean | undefined;
  readonly functions?: object | undefined;
}

const COMMANDS: Readonly<Record<SlashCommand, { readonly description: string; readonly usage: string }>> = {
  '/balance': {
    description: 'What a project has left, and for how long',
    usage: '[project] [cloud | storage | virtualization]',
  },
  '/spend': {
    description: 'What a project spent in a period, day by day',
    usage: '[project] [last-7-days | last-month | 2026-10 | …] [cloud | storage | virtualization]',
  },
  '/os-token': { description: 'A temporary OS_TOKEN that only you see', usage: '[project]' },
  '/billing': {
    description: 'Connect to the billing service, schedule posts, name projects, get help',
    usage: '[connect | projects | schedule | schedules | settings | status | help]',
  },
};

export const UNINSTALL_EVENTS: readonly string[] = [
  'app_uninstalled',
  'tokens_revoked',
  'team_access_revoked',
  'team_access_granted',
];
const EVENTS: readonly string[] = ['app_home_opened', 'app_mention', 'message.im', ...UNINSTALL_EVENTS];

const STEP_EVENT = 'function_executed';

const EXAMPLE = 'For example https://tally.example.com.';
export const appAddress = z
  .string()
  .refine((text) => webUrl.safeParse(text).data?.startsWith('https:'), {
    error: problemText('is not an https address', EXAMPLE),
    abort: true,
  })
  .refine((text) => new URL(text).pathname === '/', {
    error: problemText('has a path', `Leave it out: Slack sends to /slack/events. ${EXAMPLE}`),
  })
  .transform((text) => new URL(text).origin);

export function createManifest({ url, org = false, functions }: ManifestChoices) {
  const events = url === undefined ? undefined : `${url}/slack/events`;
  return {
    _metadata: { major_version: 1 },
    display_information: {
      name: 'Tally',
      description: 'What your cloud projects have left, what they spent, and when they run out.',
      background_color: '#1f3a4d',
      long_description: LONG_DESCRIPTION,
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Tally', always_online: false },
      slash_commands: (Object.entries(COMMANDS) as [SlashCommand, (typeof COMMANDS)[SlashCommand]][]).map(
        ([command, { description, usage }]) => ({
          command,
          ...(events !== undefined && { url: events }),
          description,
          usage_hint: usage,
          // With escaping, Slack would turn typed addresses and mentions into markup.
          should_escape: false,
        }),
      ),
    },
    oauth_config: {
      ...(url !== undefined && { redirect_urls: [`${url}/slack/oauth_redirect`] }),
      scopes: {
        bot: SCOPES.flatMap(({ scope, optional }) => (optional ? [] : scope)),
        bot_optional: SCOPES.flatMap(({ scope, optional }) => (optional ? scope : [])),
      },
    },
    ...(functions !== undefined && { functions }),
    settings: {
      event_subscriptions: {
        ...(events !== undefined && { request_url: events }),
        bot_events: [...EVENTS, ...(functions === undefined ? [] : [STEP_EVENT])],
      },
      interactivity: {
        is_enabled: true,
        // Slack asks `message_menu_options_url` for suggestions, such as projects and time zones.
        ...(events !== undefined && { request_url: events, message_menu_options_url: events }),
      },
      org_deploy_enabled: org || functions !== undefined,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: false,
      ...(functions !== undefined && { function_runtime: 'remote' }),
    },
  };
}

const LONG_DESCRIPTION = [
  'Ask Tally in Slack what a cloud project has left, what it spent, and how long the balance lasts.',
  `${commandText('/balance')} 123 shows the balance, the bonuses and roughly how many days are left at last week’s pace. ${commandText('/spend')} 123 last-month adds up a period to the cent, compares it with the one before, and lists every day. A day that the billing service hasn't reported is missing, never zero.`,
  `${commandText('/os-token')} prod issues a temporary token for the platform's API, shown once, only to you, and stored nowhere. A manager chooses who can get tokens.`,
  "Answers are private until you share them. An owner or admin connects Tally once, with a read-only access token. Tally encrypts the token and never shows it again. Tally only reads figures: it can't buy, pay or change anything.",
].join('\n\n');

export const formatManifest = (manifest: ReturnType<typeof createManifest>): string =>
  `${JSON.stringify(manifest, null, 2)}\n`;
