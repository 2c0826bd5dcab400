/** The parts of the app's manifest that the sandbox uses. */

export interface WorkflowStep {
  id: string;
  outputs: StepParameter[];
}

export interface StepParameter {
  name: string;
  type: string;
  required: boolean;
}

export interface Manifest {
  botName: string;
  commands: ReadonlySet<string>;
  scopes: ReadonlySet<string>;
  events: ReadonlySet<string>;
  steps: readonly WorkflowStep[];
}

type Parameters = Record<string, { type: string; is_required?: boolean }>;

interface Given {
  features?: {
    bot_user?: { display_name: string };
    slash_commands?: { command: string }[];
  };
  oauth_config?: { scopes?: { bot?: string[]; bot_optional?: string[] } };
  settings?: { event_subscriptions?: { bot_events?: string[] } };
  functions?: Record<string, { output_parameters: Parameters }>;
}

export function readManifest(parsed: unknown): Manifest {
  const { features, oauth_config, settings, functions = {} } = parsed as Given;
  const { bot = [], bot_optional = [] } = oauth_config?.scopes ?? {};
  return {
    botName: features?.bot_user?.display_name ?? 'bot',
    commands: new Set(features?.slash_commands?.map(({ command }) => command)),
    scopes: new Set([...bot, ...bot_optional]),
    events: new Set(settings?.event_subscriptions?.bot_events),
    steps: Object.entries(functions).map(([id, { output_parameters }]) => ({
      id,
      outputs: Object.entries(output_parameters).map(([name, { type, is_required = false }]) => ({
        name,
        type,
        required: is_required,
      })),
    })),
  };
}
