import type { Installation } from '@slack/oauth';
import type { Logger } from 'pino';
import type { Audit } from '../../workspace/audit.ts';
import { escapeMessageText } from '../kit/atoms.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { FIRST_STEPS } from './first-steps.ts';
import { installationId } from './installation.ts';

export interface WelcomeParts {
  readonly audit: Audit;
  readonly clientFor: (token: string) => WebClient;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** What follows an installation. It stands already, so what fails here is logged and no more. */
export function createWelcome({ audit, clientFor, log, clock }: WelcomeParts) {
  return async (installation: Installation): Promise<void> => {
    const { user, bot, isEnterpriseInstall } = installation;
    const workspace = installationId(installation);
    log.info({ workspace }, 'Tally was installed');
    const about = isEnterpriseInstall ? 'for the organisation' : 'for the workspace';
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
        log.error({ workspace, err: outcome.reason }, 'an installation was not followed up');
    }
  };
}
