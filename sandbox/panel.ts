/** The panel's controls: a switch for each service and for Slack, and the clock. */
import type { BillingService } from './billing.ts';
import type { Bot } from './bot-process.ts';
import { type Clock, nextTime, SKIP_MARGIN } from './clock.ts';
import { examplesAt } from './examples.ts';
import type { IdentityService } from './identity.ts';
import type { Skip } from './protocol.ts';
import type { Failure, SlackBehaviour } from './slack/core.ts';
import type { SandboxControls } from './slack/index.ts';

interface PanelParts {
  billing: BillingService;
  identity: IdentityService;
  /** Whether the bot is installed by OAuth. */
  oauth: boolean;
  bot: () => Bot | undefined;
  behaviour: () => SlackBehaviour | undefined;
  clock: Clock;
}

/** What calls of the bot fail with, by mode. */
const SLACK_FAILURES: Record<string, Failure | undefined> = {
  healthy: undefined,
  '429': { status: 429, retryAfter: 20 },
  away: { status: 503 },
};

const SLACK_MODES = [
  { mode: 'healthy', label: 'Healthy', hint: 'Takes every call of the bot.' },
  { mode: '429', label: 'Too many requests', hint: 'Asks the bot to retry each call in 20 s (429).' },
  { mode: 'away', label: 'Away', hint: 'Fails every call of the bot (503).' },
];

export function createPanel(parts: PanelParts): SandboxControls {
  const { billing, identity, clock } = parts;
  let slackMode = 'healthy';
  return {
    examples: examplesAt(clock.now(), true),
    skipped: clock.skipped,
    skip: (to, zone) => skip(clock, to, zone),
    credentials: [...billing.tokens, ...identity.credentials],
    botUp: () => parts.bot()?.up() ?? false,
    ...(parts.oauth && { installUrl: () => `${parts.bot()?.url ?? ''}/slack/install` }),
    switches: () => [
      { service: 'billing', mode: billing.mode(), modes: billing.modes },
      { service: 'identity', mode: identity.mode(), modes: identity.modes },
      { service: 'slack', mode: slackMode, modes: SLACK_MODES },
    ],
    setSwitch(service, mode) {
      const behaviour = parts.behaviour();
      if (service === 'slack' && behaviour && Object.hasOwn(SLACK_FAILURES, mode)) {
        slackMode = mode;
        behaviour.failure = SLACK_FAILURES[mode];
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

/** @returns false for a time that the zone's clocks never show */
function skip(clock: Clock, to: Skip, zone: string): boolean {
  const now = clock.now();
  const hours = 'hours' in to ? to.hours : undefined;
  if (hours !== undefined && !(hours > 0 && hours <= MOST_HOURS)) return false;
  const instant = 'hours' in to ? now + to.hours * HOUR : nextTime(to.time, zone, now);
  if (instant === undefined) return false;
  clock.skipTo('hours' in to ? instant : instant - SKIP_MARGIN);
  return true;
}
