/** The panel's controls: a switch for each service and for Slack, and the clock. */
import type { BillingService } from './billing.ts';
import type { Bot } from './bot-process.ts';
import { type Clock, nextTime, SKIP_MARGIN } from './clock.ts';
import { EXAMPLES } from './examples.ts';
import type { IdentityService } from './identity.ts';
import type { Skip, Switch } from './protocol.ts';
import type { Failure, SlackBehaviour } from './slack/core.ts';

interface PanelParts {
  billing: BillingService;
  identity: IdentityService;
  oauth: boolean;
  bot: () => Bot | undefined;
  behaviour: () => SlackBehaviour | undefined;
  clock: Clock;
}

export type Panel = ReturnType<typeof createPanel>;

const SLACK_MODES: Record<string, { label: string; hint: string; failure?: Failure }> = {
  healthy: { label: 'Healthy', hint: 'Accepts every call.' },
  limited: {
    label: 'Too many requests',
    hint: 'Asks for a retry in 20 s (429).',
    failure: { status: 429, retryAfter: 20 },
  },
  away: { label: 'Down', hint: 'Fails every call (503).', failure: { status: 503 } },
};

export function createPanel(parts: PanelParts) {
  const { billing, identity, clock } = parts;
  let slackMode = 'healthy';
  const slackModes = Object.entries(SLACK_MODES).map(([mode, { label, hint }]) => ({ mode, label, hint }));
  return {
    examples: EXAMPLES,
    skipped: clock.skipped,
    /**
     * @param zone the zone of `to.time`
     * @returns false for a time that never occurs
     */
    skip: (to: Skip, zone: string) => skip(clock, to, zone),
    credentials: [...billing.tokens, ...identity.credentials],
    botUp: () => parts.bot()?.up() ?? false,
    installUrl: parts.oauth ? () => `${parts.bot()?.url}/slack/install` : undefined,
    switches: (): Switch[] => [
      { service: 'billing', mode: billing.mode(), modes: billing.modes },
      { service: 'identity', mode: identity.mode(), modes: identity.modes },
      { service: 'slack', mode: slackMode, modes: slackModes },
    ],
    setSwitch(service: string, mode: string): boolean {
      const behaviour = parts.behaviour();
      if (service === 'slack' && behaviour && Object.hasOwn(SLACK_MODES, mode)) {
        slackMode = mode;
        behaviour.failure = SLACK_MODES[mode]?.failure;
        return true;
      }
      const fake = { billing, identity }[service];
      if (!fake?.modes.some((known) => known.mode === mode)) return false;
      fake.setMode(mode);
      return true;
    },
  };
}

const HOUR = 3_600_000;
const MOST_HOURS = 24 * 400;

function skip(clock: Clock, to: Skip, zone: string): boolean {
  if ('hours' in to) {
    const isValid = to.hours > 0 && to.hours <= MOST_HOURS;
    if (isValid) clock.skipTo(clock.now() + to.hours * HOUR);
    return isValid;
  }
  const instant = nextTime(to.time, zone, clock.now());
  if (instant !== undefined) clock.skipTo(instant - SKIP_MARGIN);
  return instant !== undefined;
}
