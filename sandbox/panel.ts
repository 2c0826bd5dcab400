/** The panel's controls: a switch for each service, and the clock. */
import type { BillingService } from './billing.ts';
import type { Bot } from './bot-process.ts';
import { type Clock, nextTime, SKIP_MARGIN } from './clock.ts';
import { examplesAt } from './examples.ts';
import type { IdentityService } from './identity.ts';
import type { Skip, Switch } from './protocol.ts';
import type { SlackBehaviour } from './slack/response-urls.ts';
import type { SandboxControls } from './slack/snapshot.ts';

export interface PanelParts {
  billing: BillingService;
  identity: IdentityService;
  /** Whether the bot can issue OS_TOKENs; the panel then offers application accesses. */
  issuesTokens: boolean;
  /** Whether the bot is installed by OAuth. */
  oauth: boolean;
  bot: () => Bot | undefined;
  /** The block types that Slack refuses in private answers. */
  refused: () => Set<string>;
  behaviour: () => SlackBehaviour | undefined;
  log: (line: string) => void;
  clock: Clock;
}

interface PanelSwitch extends Switch {
  /** @returns false for an unknown mode */
  set(mode: string): boolean;
}

const RICH_BLOCKS = ['data_visualization', 'data_table', 'table', 'container'];

export function createPanel(parts: PanelParts): SandboxControls {
  const panelSwitches = () => [
    serviceSwitch('billing', parts.billing),
    serviceSwitch('identity', parts.identity),
    slackSwitch(parts),
    botSwitch(parts),
  ];
  return {
    examples: examplesAt(parts.clock.now(), parts.issuesTokens),
    skipped: parts.clock.skipped,
    skip: (to, zone) => skip(parts.clock, to, zone),
    credentials: [...parts.billing.tokens, ...(parts.issuesTokens ? parts.identity.credentials : [])],
    botUp: () => parts.bot()?.up() ?? false,
    ...(parts.oauth && { installUrl: () => `${parts.bot()?.url ?? ''}/slack/install` }),
    switches: () => panelSwitches().map(({ service, mode, modes }) => ({ service, mode, modes })),
    setSwitch: (service, mode) =>
      panelSwitches()
        .find((fake) => fake.service === service)
        ?.set(mode) ?? false,
  };
}

const HOUR = 3_600_000;

/** @returns false for a time that the zone's clocks never show */
function skip(clock: Clock, to: Skip, zone: string): boolean {
  if ('hours' in to) {
    clock.skipTo(clock.now() + to.hours * HOUR);
    return true;
  }
  const instant = nextTime(to.time, zone, clock.now());
  if (instant !== undefined) clock.skipTo(instant - SKIP_MARGIN);
  return instant !== undefined;
}

function serviceSwitch(service: string, fake: BillingService | IdentityService): PanelSwitch {
  return {
    service,
    mode: fake.mode(),
    modes: fake.modes,
    set(mode) {
      if (!fake.modes.some((known) => known.mode === mode)) return false;
      fake.setMode(mode);
      return true;
    },
  };
}

/** Slack does not document what it accepts in private answers, so the sandbox can do both. */
function slackSwitch({ refused, behaviour }: PanelParts): PanelSwitch {
  return {
    service: 'slack',
    mode: modeOfSlack(refused(), behaviour()),
    modes: [
      {
        mode: 'everywhere',
        label: 'Charts everywhere',
        hint: 'Accepts charts, tables and containers in every message.',
      },
      {
        mode: 'posts-only',
        label: 'Charts in posts only',
        hint: 'Rejects charts, tables and containers in private answers (invalid_blocks).',
      },
      {
        mode: 'slow',
        label: `Slow (${SLOW_MS / 1000} s a call)`,
        hint: 'Forms still open: Tally shows a loading view first.',
      },
      {
        mode: 'keeps-answers',
        label: 'Private answers can’t be replaced',
        hint: 'A slow answer appears below “Asking the billing service…”.',
      },
    ],
    set(mode) {
      const known = behaviour();
      if (!SLACK_MODES.has(mode) || known === undefined) return false;
      refused().clear();
      if (mode === 'posts-only') for (const type of RICH_BLOCKS) refused().add(type);
      known.latency = mode === 'slow' ? SLOW_MS : 0;
      known.replacesCommandAnswers = mode !== 'keeps-answers';
      return true;
    },
  };
}

/** Less than the 3 s for which a `trigger_id` is valid. */
const SLOW_MS = 2_500;

const SLACK_MODES: ReadonlySet<string> = new Set(['everywhere', 'posts-only', 'slow', 'keeps-answers']);

function modeOfSlack(refused: ReadonlySet<string>, behaviour: SlackBehaviour | undefined): string {
  if (behaviour !== undefined && behaviour.latency > 0) return 'slow';
  if (behaviour?.replacesCommandAnswers === false) return 'keeps-answers';
  return refused.size > 0 ? 'posts-only' : 'everywhere';
}

function botSwitch({ bot, log }: PanelParts): PanelSwitch {
  const act = (work: Promise<void> | undefined) => {
    work?.catch((error: Error) => log(error.message));
    return true;
  };
  return {
    service: 'bot',
    mode: bot()?.up() ? 'running' : 'stopped',
    modes: [
      { mode: 'running', label: 'Running', hint: 'Restarts automatically when it exits.' },
      { mode: 'stopped', label: 'Stopped', hint: 'Shows what Slack says when an app is down.' },
    ],
    set(mode) {
      if (mode === 'running') return act(bot()?.start());
      return mode === 'stopped' && act(bot()?.stop());
    },
  };
}
