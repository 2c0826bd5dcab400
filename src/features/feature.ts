import type { ActionName, BillingVerb, SlashCommand } from '../domain/commands.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { Block } from '../slack/kit/atoms.ts';
import type { StopsSource } from '../slack/owned/stopped-items.ts';
import type { Request } from '../slack/request/request.ts';
import type { ActionListener, CommandListener, Listeners } from '../slack/server/listeners.ts';
import type { HealthLevel } from '../workspace/credentials/health.ts';

/**
 * The contract: everything that Tally takes from a feature. A feature that shows what others hand in (Home, help, the
 * menus of projects) adds its own field with `declare module`; without that feature, the compiler refuses the field.
 */
export interface Feature extends Listeners {
  readonly commands?: { readonly [Name in SlashCommand]?: CommandListener };
  /** Second words of `/billing`. */
  readonly verbs?: { readonly [Verb in BillingVerb]?: CommandListener };
  readonly actions?: { readonly [Name in ActionName]?: ActionListener };
  /** Which of its things stop when a manager changes the record. */
  readonly stops?: StopsSource;
  /** Starts what the feature does without a person. */
  start?(): void;
  /** Starts nothing more, and waits up to `patience` ms for what is running. */
  stop?(patience: Millis): Promise<void>;
  /** Called after a workspace has uninstalled Tally: deletes what is outside of its own keys. @throws StoreUnavailable */
  forget?(workspace: SlackId): Promise<void>;
}

/** A part of a view or message that several features contribute to. */
export type Section = (request: Request) => readonly Block[] | Promise<readonly Block[]>;

/** One part of `/billing status`, which shows what is broken first. */
export interface StatusPart {
  readonly health: HealthLevel;
  /** What a person should do something about. */
  readonly problems: number;
  readonly blocks: readonly Block[];
  /** One line of mrkdwn, instead of the blocks while everything in them is fine; without it they are always shown. */
  readonly summary?: string;
}

export type StatusSource = (request: Request) => readonly StatusPart[] | Promise<readonly StatusPart[]>;
