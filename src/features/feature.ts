import type { BillingClient } from '../billing/client.ts';
import type { DeliveryService } from '../delivery/delivery-service.ts';
import type { ActionName, BillingVerb, SlashCommand } from '../domain/command-names.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { Period } from '../domain/time/period.ts';
import type { button, overflow } from '../slack/block-kit/blocks.ts';
import type { HelpLine } from '../slack/commands/help.ts';
import { routeSubcommands } from '../slack/commands/subcommands.ts';
import type { StepOutputs } from '../slack/install/workflow-functions.ts';
import type { Request } from '../slack/request/request.ts';
import type { ActionHandler, CommandHandler, Listeners } from '../slack/server/listeners.ts';
import type { SharedServices } from '../slack/slack-services.ts';
import type { HealthLevel } from '../workspace/credentials/credential-health.ts';
import type { ResolvedProject } from '../workspace/projects/resolve-project.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { AnswerStore } from '../workspace/save-service-status.ts';

/** Everything that a feature can provide, to people and to other features. */
export interface Feature extends Listeners {
  /** Its lines of `/billing help`. */
  readonly help: readonly HelpLine[];
  readonly commands?: { readonly [Name in SlashCommand]?: CommandHandler };
  /** Second words of `/billing`. */
  readonly verbs?: { readonly [Verb in BillingVerb]?: CommandHandler };
  readonly actions?: { readonly [Name in ActionName]?: ActionHandler };
  /** More that a manager can do with a project, by the word after `/billing projects`. */
  readonly projectVerbs?: Readonly<Record<string, ProjectAction>>;
  /** The state of what it sets up, for Home and `/billing status`. */
  readonly health?: HealthSource;
  /** How long a project's money lasts; undefined without an estimate. @throws Failure */
  readonly daysLeft?: (target: ResolvedProject, request: Request) => Promise<number | undefined>;
  /** Of steps of Workflow Builder. */
  readonly stepFigures?: {
    readonly [Name in keyof StepOutputs]?: (question: StepQuestion) => Promise<StepOutputs[Name]>;
  };
}

/** An entry in each project's menu, and the verb WORD of `/billing projects WORD PROJECT`. */
export interface ProjectAction {
  readonly label: string;
  /** @param word what was typed for the project: untrusted */
  open(word: string, request: Request): Promise<void>;
}

interface StepQuestion {
  readonly workspace: Workspace;
  readonly target: ResolvedProject;
  /** The named period, else the last 7 days; a balance ignores it. */
  readonly period: Period;
  readonly at: Millis;
  /** BCP 47, the workspace's: a workflow's result is for everybody. */
  readonly locale: string;
}

/** One line of `/billing status`. Home shows it too while it needs attention. */
export interface HealthLine {
  /** `news` is no problem: it did its work, and somebody should know. */
  readonly level: HealthLevel | 'news';
  /** Lines of mrkdwn: name and state (Home joins these two), then details. */
  readonly text: readonly string[];
  readonly fix?: ReturnType<typeof button> | undefined;
  /** Further actions; only in status. */
  readonly menu?: ReturnType<typeof overflow> | undefined;
}

/** A section of status: one kind of thing. */
export interface HealthSection {
  readonly title: string;
  /** How many there are, as mrkdwn. */
  readonly summary?: string;
  readonly lines: readonly HealthLine[];
  /** Maximum lines to show, with a button to all. */
  readonly most?: number;
  readonly more?: ReturnType<typeof button>;
}

/** @returns undefined if there is nothing to show @throws unseal-failed, settings-damaged, store-unavailable */
export type HealthSource = (
  viewer: Request,
) => Promise<HealthSection | undefined> | HealthSection | undefined;

/** What every feature gets. */
export interface Services extends SharedServices {
  readonly billing: BillingClient;
  readonly answerStore: AnswerStore;
  readonly delivery: DeliveryService;
  /** Normalizes and checks a service address. @throws address-refused, InvalidWord */
  readonly parseAddress: Readonly<Record<'baseUrl' | 'authUrl', (text: string) => string>>;
  /** Default addresses for new connections. */
  readonly defaultAddresses: Readonly<Record<'baseUrl' | 'authUrl', string | undefined>>;
  /** Calls across features. Complete once all features exist. */
  readonly registry: Registry;
}

export type Registry = ReturnType<typeof createRegistry>;

/**
 * All features merged. Getters are evaluated at each call, because features are created with a registry that isn't
 * complete yet.
 */
export function createRegistry(features: () => readonly Feature[]) {
  const merged = <K extends keyof Feature>(key: K): NonNullable<Feature[K]> =>
    Object.assign({}, ...features().map((feature) => feature[key]));
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
  };
}
