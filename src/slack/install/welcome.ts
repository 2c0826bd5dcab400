import type { Installation } from '@slack/oauth';
import type { Logger } from 'pino';
import { commandText } from '../../domain/commands.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import { actions, button, context, escapeMessageText, header, type Message, markup } from '../kit/atoms.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { installationId } from './installation-tokens.ts';

/** The direct message to the person who installed Tally. */
const FIRST_STEPS: Message = {
  text: 'Tally is installed. Three steps to the first answer.',
  blocks: [
    header('Tally is installed'),
    markup(
      [
        `*1.* An admin connects it to the billing service with a read-only access token: press *Connect* or type \`${commandText('/billing connect')}\`.`,
        `*2.* Ask what a project has left, by the ID on its project card: \`${commandText('/balance')} 123\``,
        `*3.* Ask what it spent: \`${commandText('/spend')} 123 last-7-days\``,
      ].join('\n'),
    ),
    actions(button('connect', 'Connect…', { style: 'primary' })),
    context(
      `Only you see an answer until you share it. \`${commandText('/billing help')}\` lists everything else.`,
    ),
  ],
};

/** Audits an installation and sends the first steps. Never rejects: Tally is installed already, so failures are only logged. */
export function createWelcome(
  audit: Audit,
  clientFor: (token: string) => WebClient,
  log: Logger,
  clock: () => Millis,
) {
  return async (installation: Installation): Promise<void> => {
    const { user, bot, isEnterpriseInstall } = installation;
    const workspace = installationId(installation);
    log.info({ workspace }, 'Tally was installed');
    const about = isEnterpriseInstall ? 'for the organization' : 'for the workspace';
    const outcomes = await Promise.allSettled([
      audit.record(workspace, { at: clock(), who: user.id, action: 'app installed', about }),
      callSlack('chat.postMessage', () =>
        clientFor(bot?.token ?? '').chat.postMessage({
          channel: user.id,
          ...(escapeMessageText(FIRST_STEPS) as { text: string; blocks: never[] }),
        }),
      ),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        log.error({ workspace, err: outcome.reason }, 'Could not audit or welcome a new installation');
    }
  };
}
