/** The parts of the app's manifest that the sandbox uses. */
import { z } from 'zod';
import type { StepParameter, WorkflowStep } from '../protocol.ts';

const parameter = z.looseObject({
  type: z.string(),
  title: z.string().default(''),
  description: z.string().default(''),
  is_required: z.boolean().default(false),
});

const shape = z.looseObject({
  display_information: z.looseObject({ name: z.string() }).optional(),
  features: z
    .looseObject({
      app_home: z
        .looseObject({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(false),
          messages_tab_read_only_enabled: z.boolean().default(false),
        })
        .optional(),
      bot_user: z.looseObject({ display_name: z.string() }).optional(),
      slash_commands: z
        .array(
          z.looseObject({
            command: z.string(),
            description: z.string().default(''),
            usage_hint: z.string().default(''),
            should_escape: z.boolean().default(false),
          }),
        )
        .default([]),
    })
    .optional(),
  oauth_config: z
    .looseObject({
      scopes: z
        .looseObject({ bot: z.array(z.string()).default([]), bot_optional: z.array(z.string()).default([]) })
        .optional(),
    })
    .optional(),
  functions: z
    .record(
      z.string(),
      z.looseObject({
        title: z.string(),
        description: z.string(),
        input_parameters: z.record(z.string(), parameter),
        output_parameters: z.record(z.string(), parameter),
      }),
    )
    .default({}),
  settings: z
    .looseObject({
      org_deploy_enabled: z.boolean().default(false),
      event_subscriptions: z.looseObject({ bot_events: z.array(z.string()).default([]) }).optional(),
    })
    .optional(),
});

export interface Manifest {
  botName: string;
  commands: { command: string; description: string; usageHint: string; shouldEscape: boolean }[];
  /** The app's Home and Messages tabs; both are open when the manifest does not mention them. */
  tabs: { home: boolean; messages: 'open' | 'read-only' | 'off' };
  /** The scopes of the bot's token. */
  scopes: ReadonlySet<string>;
  /** The events that the app subscribes to. */
  events: ReadonlySet<string>;
  /** The app's steps for Workflow Builder, which only apps for organizations can have. */
  steps: readonly WorkflowStep[];
}

/** @param parsed manifest.json, parsed; throws a ZodError when it does not fit */
export function readManifest(parsed: unknown): Manifest {
  const { display_information, features, oauth_config, settings, functions } = shape.parse(parsed);
  const scopes = oauth_config?.scopes;
  return {
    botName: features?.bot_user?.display_name ?? display_information?.name ?? 'bot',
    commands: (features?.slash_commands ?? []).map((command) => ({
      command: command.command,
      description: command.description,
      usageHint: command.usage_hint,
      shouldEscape: command.should_escape,
    })),
    tabs: tabsOf(features?.app_home),
    scopes: new Set([...(scopes?.bot ?? []), ...(scopes?.bot_optional ?? [])]),
    events: new Set(settings?.event_subscriptions?.bot_events ?? []),
    steps: settings?.org_deploy_enabled
      ? Object.entries(functions).map(
          ([id, { title, description, input_parameters, output_parameters }]) => ({
            ...{ id, title, description },
            inputs: parametersOf(input_parameters),
            outputs: parametersOf(output_parameters),
          }),
        )
      : [],
  };
}

const parametersOf = (given: Record<string, z.output<typeof parameter>>): StepParameter[] =>
  Object.entries(given).map(([name, { type, title, description, is_required }]) => ({
    ...{ name, type, title: title || name, description },
    required: is_required,
  }));

function tabsOf(
  given:
    | { home_tab_enabled: boolean; messages_tab_enabled: boolean; messages_tab_read_only_enabled: boolean }
    | undefined,
): Manifest['tabs'] {
  if (!given) return { home: true, messages: 'open' };
  const messages = given.messages_tab_read_only_enabled ? 'read-only' : 'open';
  return { home: given.home_tab_enabled, messages: given.messages_tab_enabled ? messages : 'off' };
}
