/** The contract of features: what each one provides, and what it is created with. */
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
import type { ActionHandler, CommandHandler, Handlers } from '../slack/server/handlers.ts';
import type { SharedServices } from '../slack/slack-services.ts';
import type { HealthLevel } from '../workspace/credentials/credential-health.ts';
import type { ResolvedProject } from '../workspace/projects/resolve-project.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { OutcomeStore } from '../workspace/save-service-outcomes.ts';

export interface Feature extends Handlers {
  readonly help?: readonly HelpLine[];
  readonly forms?: readonly { readonly handlers: Handlers }[];
  readonly commands?: { readonly [Name in SlashCommand]?: CommandHandler };
  readonly verbs?: { readonly [Verb in BillingVerb]?: CommandHandler };
  readonly actions?: { readonly [Name in ActionName]?: ActionHandler };
  /** Opens the form for a project's application access. @param word the project as typed; untrusted */
  readonly openAccess?: (word: string, request: Request) => Promise<void>;
  readonly health?: HealthSource;
  /** How many days a project's money lasts; undefined if there is no estimate. @throws Failure */
  readonly daysLeft?: (target: ResolvedProject, request: Request) => Promise<number | undefined>;
  readonly stepFigures?: {
    readonly [Name in keyof StepOutputs]?: (question: StepQuestion) => Promise<StepOutputs[Name]>;
  };
}

interface StepQuestion {
  readonly workspace: Workspace;
  readonly target: ResolvedProject;
  readonly period: Period;
  readonly at: Millis;
  readonly locale: string;
}

export interface HealthLine {
  /** `news`: everything works, but people should know, for example that a balance is low. */
  readonly level: HealthLevel | 'news';
  /** Lines of mrkdwn: a name, its state, then details, which Home leaves out. */
  readonly text: readonly string[];
  readonly fix?: ReturnType<typeof button> | undefined;
  /** Shown only in `/billing status`. */
  readonly menu?: ReturnType<typeof overflow> | undefined;
}

export interface HealthSection {
  readonly title: string;
  /** Mrkdwn: `3 running · *1 paused by Tally*` */
  readonly summary?: string;
  readonly lines: readonly HealthLine[];
  readonly maxLines?: number;
  readonly more?: ReturnType<typeof button>;
}

/** @returns undefined if the viewer has nothing to see @throws unseal-failed, settings-damaged, store-unavailable */
export type HealthSource = (
  viewer: Request,
) => Promise<HealthSection | undefined> | HealthSection | undefined;

export interface Services extends SharedServices {
  readonly billing: BillingClient;
  readonly outcomeStore: OutcomeStore;
  readonly delivery: DeliveryService;
  /** Checks a service's address and normalizes it. @throws address-refused, InvalidWord */
  readonly parseAddress: Readonly<Record<'baseUrl' | 'authUrl', (text: string) => string>>;
  readonly defaultAddresses: Readonly<Record<'baseUrl' | 'authUrl', string | undefined>>;
  readonly registry: Registry;
}

/** What all features provide together. Features call each other through the registry, once all are created. */
export interface Registry {
  handlers(): Required<Handlers>;
  commands(): SlashCommand[];
  verbs(): string[];
  openAccess(): Feature['openAccess'];
  stepFigures(): NonNullable<Feature['stepFigures']>;
  help(): HelpLine[];
  health(): HealthSource[];
  daysLeft(): Feature['daysLeft'];
}

export function createRegistry(features: () => readonly Feature[]): Registry {
  const merged = <K extends keyof Feature>(key: K): NonNullable<Feature[K]> =>
    Object.assign({}, ...features().map((feature) => feature[key]));
  const handlersFor = <K extends keyof Handlers>(key: K): NonNullable<Handlers[K]> => {
    const forms = features().flatMap((feature) => feature.forms ?? []);
    return Object.assign({}, merged(key), ...forms.map(({ handlers }) => handlers[key]));
  };
  const commands = () => ({ ...merged('commands'), '/billing': routeSubcommands(merged('verbs')) });

  return {
    handlers: () => ({
      commands: commands(),
      actions: handlersFor('actions'),
      views: handlersFor('views'),
      options: handlersFor('options'),
      events: handlersFor('events'),
      steps: handlersFor('steps'),
    }),
    commands: () => Object.keys(commands()) as SlashCommand[],
    verbs: () => Object.keys(merged('verbs')),
    openAccess: () => features().find(({ openAccess }) => openAccess)?.openAccess,
    stepFigures: () => merged('stepFigures'),
    help: () => features().flatMap(({ help }) => help ?? []),
    health: () => features().flatMap(({ health }) => health ?? []),
    daysLeft: () => features().find(({ daysLeft }) => daysLeft)?.daysLeft,
  };
}
