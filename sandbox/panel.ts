/** The switches of the page's panel: what each of the sandbox's parts does now. */
import type { BillingService } from './billing.ts';
import type { Bot } from './bot-process.ts';
import { type Clock, nextTime, SHORTLY } from './clock.ts';
import type { IdentityService } from './identity.ts';
import type { Switch } from './protocol.ts';
import type { SandboxControls } from './slack/snapshot.ts';
import { triesAt } from './tries.ts';

export interface PanelParts {
  billing: BillingService;
  identity: IdentityService;
  /** Whether the bot has a use for the accesses of the identity service. */
  issuesTokens: boolean;
  /** Whether the bot is installed by OAuth. */
  oauth: boolean;
  bot: () => Bot | undefined;
  /** The set of block types that Slack refuses in answers. */
  refused: () => Set<string>;
  log: (line: string) => void;
  clock: Clock;
}

interface Lever extends Switch {
  /** False when there is no such mode. */
  set(mode: string): boolean;
}

const DETAILED = ['data_visualization', 'data_table', 'table', 'container'];

export function createPanel(parts: PanelParts): SandboxControls {
  const levers = () => [
    ofService('billing', parts.billing),
    ofService('identity', parts.identity),
    ofSlack(parts),
    ofBot(parts),
  ];
  return {
    tries: triesAt(parts.clock.now(), parts.issuesTokens),
    skipped: parts.clock.skipped,
    skip: (time, zone) => skip(parts.clock, time, zone),
    credentials: [...parts.billing.tokens, ...(parts.issuesTokens ? parts.identity.credentials : [])],
    botUp: () => parts.bot()?.up() ?? false,
    ...(parts.oauth && { installUrl: () => `${parts.bot()?.url ?? ''}/slack/install` }),
    switches: () => levers().map(({ service, mode, modes }) => ({ service, mode, modes })),
    setSwitch: (service, mode) =>
      levers()
        .find((one) => one.service === service)
        ?.set(mode) ?? false,
  };
}

/** False for a time that no clock shows. */
function skip(clock: Clock, time: string, zone: string): boolean {
  const instant = nextTime(time, zone, clock.now());
  if (instant !== undefined) clock.skipTo(instant - SHORTLY);
  return instant !== undefined;
}

function ofService(service: string, fake: BillingService | IdentityService): Lever {
  return {
    service,
    mode: fake.mode(),
    modes: fake.modes,
    set(mode) {
      if (!fake.modes.some((one) => one.mode === mode)) return false;
      fake.setMode(mode);
      return true;
    },
  };
}

/** Nobody has tried yet what the real one does, so both can be. */
function ofSlack({ refused }: PanelParts): Lever {
  return {
    service: 'slack',
    mode: refused().size > 0 ? 'posts-only' : 'everywhere',
    modes: [
      {
        mode: 'everywhere',
        label: 'Charts everywhere',
        hint: 'Takes charts, tables and containers in every message.',
      },
      {
        mode: 'posts-only',
        label: 'Charts in posts only',
        hint: 'Answers invalid_blocks to charts, tables and containers in private answers.',
      },
    ],
    set(mode) {
      refused().clear();
      if (mode === 'posts-only') for (const type of DETAILED) refused().add(type);
      return mode === 'posts-only' || mode === 'everywhere';
    },
  };
}

function ofBot({ bot, log }: PanelParts): Lever {
  const act = (work: Promise<void> | undefined) => {
    work?.catch((error: Error) => log(error.message));
    return true;
  };
  return {
    service: 'bot',
    mode: bot()?.up() ? 'running' : 'stopped',
    modes: [
      { mode: 'running', label: 'Running', hint: 'Answers. Starts again by itself when it ends.' },
      { mode: 'stopped', label: 'Stopped', hint: 'Asked to stop: Slack says what it says about a dead app.' },
    ],
    set(mode) {
      if (mode === 'running') return act(bot()?.start());
      return mode === 'stopped' && act(bot()?.stop());
    },
  };
}
