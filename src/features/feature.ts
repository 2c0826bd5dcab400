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

/** What a feature provides to people and to other features; each adds only what it has. */
export interface Feature extends Listeners {
  /** The feature's lines in `/billing help`. */
  readonly help: readonly HelpLine[];
  readonly commands?: { readonly [Name in SlashCommand]?: CommandHandler };
  /** Commands after `/billing`, by their first word: `projects`, `watch`. */
  readonly verbs?: { readonly [Verb in BillingVerb]?: CommandHandler };
  readonly actions?: { readonly [Name in ActionName]?: ActionHandler };
  /** Further actions for managers on a project, by the word after `/billing projects`. */
  readonly projectVerbs?: Readonly<Record<string, ProjectAction>>;
  /** The state of what the feature sets up, for Home and `/billing status`. */
  readonly health?: HealthSource;
  /** For how many days a project's money lasts; undefined if there is no estimate. @throws Failure */
  readonly daysLeft?: (target: ResolvedProject, request: Request) => Promise<number | undefined>;
  /** The values that each step of Workflow Builder returns to its workflow. */
  readonly stepFigures?: {
    readonly [Name in keyof StepOutputs]?: (question: StepQuestion) => Promise<StepOutputs[Name]>;
  };
}

/** An action in each project's menu, also typed as `/billing projects WORD PROJECT`. */
export interface ProjectAction {
  readonly label: string;
  /** @param word what was typed to name the project: untrusted */
  open(word: string, request: Request): Promise<void>;
}

interface StepQuestion {
  readonly workspace: Workspace;
  readonly target: ResolvedProject;
  /** The period that the step names, else the last 7 days. A balance ignores it. */
  readonly period: Period;
  readonly at: Millis;
  /** The workspace's locale (BCP 47), because everybody reads a workflow's result. */
  readonly locale: string;
}

/** One line of `/billing status`. Home shows the line too while it needs attention. */
export interface HealthLine {
  /** `news` is for what Tally did that somebody should know: it isn't a problem. */
  readonly level: HealthLevel | 'news';
  /** Lines of mrkdwn: first a name, then its state (Home joins these two), then details. */
  readonly text: readonly string[];
  readonly fix?: ReturnType<typeof button> | undefined;
  /** Further actions, shown only in `/billing status`. */
  readonly menu?: ReturnType<typeof overflow> | undefined;
}

/** A section of `/billing status`, for one kind of thing. */
export interface HealthSection {
  readonly title: string;
  /** How many things the section is about, as mrkdwn. */
  readonly summary?: string;
  readonly lines: readonly HealthLine[];
  /** The most lines to show; a button leads to all of them. */
  readonly most?: number;
  readonly more?: ReturnType<typeof button>;
}

/** @returns undefined if the viewer has nothing to see @throws unseal-failed, settings-damaged, store-unavailable */
export type HealthSource = (
  viewer: Request,
) => Promise<HealthSection | undefined> | HealthSection | undefined;

/** What every feature is created with. */
export interface Services extends SharedServices {
  readonly billing: BillingClient;
  readonly answerStore: AnswerStore;
  readonly delivery: DeliveryService;
  /** Checks the address of a service and brings it into one form. @throws address-refused, InvalidWord */
  readonly parseAddress: Readonly<Record<'baseUrl' | 'authUrl', (text: string) => string>>;
  /** The addresses that the form of a new connection starts with. */
  readonly defaultAddresses: Readonly<Record<'baseUrl' | 'authUrl', string | undefined>>;
  /** Lets features call each other. Complete once all features are created. */
  readonly registry: Registry;
}

export type Registry = ReturnType<typeof createRegistry>;

/**
 * All features as one. It asks the features anew at each call, because they are created with this registry before their
 * list is complete.
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
    /** Names of slash commands, such as `/balance`. */
    commands: () => Object.keys(commands()) as SlashCommand[],
    /** Commands after `/billing`, such as `projects`. */
    verbs: () => Object.keys(merged('verbs')),
    projectVerbs: () => merged('projectVerbs'),
    stepFigures: () => merged('stepFigures'),
    help: () => features().flatMap(({ help }) => help),
    health: () => features().flatMap(({ health }) => health ?? []),
    daysLeft: () => features().find(({ daysLeft }) => daysLeft)?.daysLeft,
  };
}
