import type { BillingClient } from '../billing/client.ts';
import type { DeliveryService } from '../delivery/delivery-service.ts';
import type { ActionName, BillingVerb, SlashCommand } from '../domain/command-names.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { button, overflow } from '../slack/block-kit/blocks.ts';
import { routeSubcommands } from '../slack/commands/subcommands.ts';
import type { Request } from '../slack/request/request.ts';
import type { ActionHandler, CommandHandler, Listeners } from '../slack/server/listeners.ts';
import type { SharedServices } from '../slack/slack-services.ts';
import type { HealthLevel } from '../workspace/credentials/credential-health.ts';
import type { AnswerStore } from '../workspace/service-outcomes.ts';

/**
 * The contract: everything that Tally takes from a feature. A feature that shows what others hand in (Home, help, the
 * menus of projects) adds its own field with `declare module`; without that feature, the compiler refuses the field.
 */
export interface Feature extends Listeners {
  readonly commands?: { readonly [Name in SlashCommand]?: CommandHandler };
  /** Second words of `/billing`. */
  readonly verbs?: { readonly [Verb in BillingVerb]?: CommandHandler };
  readonly actions?: { readonly [Name in ActionName]?: ActionHandler };
  /** Starts what the feature does without a person. */
  start?(): void;
  /** Starts nothing more, and waits up to `patience` ms for what is running. */
  stop?(patience: Millis): Promise<void>;
  /** Called after a workspace has uninstalled Tally: deletes what is outside of its own keys. @throws store-unavailable */
  forget?(workspace: SlackId): Promise<void>;
}

/** A thing that works or doesn't: a line of `/billing status`, and of Home while somebody is needed. */
export interface HealthLine {
  /** `news` is no problem: it did its work, and somebody should know. */
  readonly level: HealthLevel | 'news';
  /** Lines of mrkdwn: what it is and how it is, which Home shows in one, then the rest. */
  readonly text: readonly string[];
  /** The one button beside it. */
  readonly fix?: ReturnType<typeof button> | undefined;
  /** What else can be done with it; in status only. */
  readonly menu?: ReturnType<typeof overflow> | undefined;
}

/** How the things of one kind are. */
export interface HealthSection {
  readonly title: string;
  /** How many there are, as mrkdwn. */
  readonly summary?: string;
  readonly lines: readonly HealthLine[];
  /** How many of them are shown. */
  readonly most?: number;
  /** The button to all of them. */
  readonly more?: ReturnType<typeof button>;
}

/** @returns undefined where there is nothing to say @throws unseal-failed, settings-damaged, store-unavailable */
export type HealthSource = (
  viewer: Request,
) => Promise<HealthSection | undefined> | HealthSection | undefined;

/** What features are made of. */
export interface Services extends SharedServices {
  readonly billing: BillingClient;
  readonly answerStore: AnswerStore;
  readonly delivery: DeliveryService;
  /** The rules for the addresses of the services: each returns the address as it will be used. @throws address-refused, InvalidWord */
  readonly checks: Readonly<Record<'baseUrl' | 'authUrl', (text: string) => string>>;
  /** What the addresses of something new are filled in with. */
  readonly addresses: Readonly<Record<'baseUrl' | 'authUrl', string | undefined>>;
  /** What features offer each other. Complete only after all of them are created. */
  readonly all: Registry;
}

export type Registry = ReturnType<typeof createRegistry>;

/** All features combined. Read at each call, because some are made from what the others have. */
export function createRegistry(features: () => readonly Feature[]) {
  const merged = <K extends keyof Feature>(key: K): NonNullable<Feature[K]> =>
    Object.assign({}, ...features().map((feature) => feature[key]));
  const each = async (work: (feature: Feature) => Promise<void> | undefined): Promise<void> => {
    await Promise.all(features().map(work));
  };
  const commands = () => ({ ...merged('commands'), '/billing': routeSubcommands(merged('verbs')) });

  return {
    listeners: (): Required<Listeners> => ({
      commands: commands(),
      actions: merged('actions'),
      views: merged('views'),
      options: merged('options'),
      events: merged('events'),
      steps: merged('steps'),
    }),
    /** `/balance` */
    commands: () => Object.keys(commands()) as SlashCommand[],
    /** Second words of `/billing`. */
    verbs: () => Object.keys(merged('verbs')),
    projectVerbs: () => merged('projectVerbs'),
    stepFigures: () => merged('stepFigures'),
    help: () => features().flatMap(({ help }) => help),
    health: () => features().flatMap(({ health }) => health ?? []),
    daysLeft: () => features().find(({ daysLeft }) => daysLeft)?.daysLeft,
    start: () => features().forEach((feature) => void feature.start?.()),
    stop: (patience: Millis) => each((feature) => feature.stop?.(patience)),
    connected: (workspace: SlackId) => each((feature) => feature.connected?.(workspace)),
    forget: (workspace: SlackId) => each((feature) => feature.forget?.(workspace)),
  };
}

/** Words that no project may have as its alias: the first words of all commands. */
export const reservedWords = ({ commands, verbs }: Registry): readonly string[] => [
  ...commands(),
  ...verbs(),
];
