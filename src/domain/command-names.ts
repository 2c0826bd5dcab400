/**
 * What people can type and press. Each feature adds its own commands and action IDs with `declare module`, beside its
 * listeners. When a feature is deleted, the compiler refuses every button and sentence that still names one of them.
 */

/** Keys are commands as they are typed: `/spend`, `/billing connect`. The values mean nothing. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface Commands {}

/** Keys: action IDs up to the colon. Values are unused. */
export interface Actions {
  /** Runs the command in its value; the answer replaces the message. */
  rerun: true;
  /** Runs the command in its value; the answer follows the message. */
  run: true;
  /** Answers the command in its value again, for the channel. */
  share: true;
}

/** Three words need the two-word command to exist: `/billing projects access` needs `/billing projects`. */
export type CommandName = {
  [Name in keyof Commands]: Name extends `${infer First} ${infer Second} ${string}`
    ? `${First} ${Second}` extends keyof Commands
      ? Name
      : never
    : Name;
}[keyof Commands];

/** What Slack delivers as a command: `/spend`, `/billing`. */
export type SlashCommand = CommandName extends infer Name
  ? Name extends `${infer First} ${string}`
    ? First
    : Name
  : never;

/** A second word of `/billing`. */
export type BillingVerb = CommandName extends infer Name
  ? Name extends `/billing ${infer Verb}`
    ? Verb extends `${string} ${string}`
      ? never
      : Verb
    : never
  : never;

export type ActionName = keyof Actions;
export type ActionId = ActionName | `${ActionName}:${string}`;

/** A command name in a sentence. Doesn't compile once the command is gone. */
export const commandText = (command: CommandName): string => command;

/** The command as people type it after a mention or in a direct message: `spend`. */
export const mentionText = (command: CommandName): string => command.slice(1);
