/**
 * What people can type and press. When a feature and its names are deleted, the compiler refuses every button and sentence
 * that still has one of them.
 */

type Named<Names extends string> = Readonly<Record<Names, true>>;

/** Keys are commands as they are typed. */
export interface Commands
  extends Named<'/balance' | '/spend' | '/os-token'>,
    Named<'/billing schedule' | '/billing schedules' | '/billing watch' | '/billing watches'>,
    Named<'/billing projects' | '/billing projects access' | '/billing default'>,
    Named<'/billing connect' | '/billing disconnect' | '/billing status' | '/billing settings'>,
    Named<'/billing audit' | '/billing help'> {}

/** Keys: action IDs up to the colon. Values are unused. */
export interface Actions
  extends Named<'schedule-form' | 'schedule-row' | 'schedule-list'>,
    Named<'watch-form' | 'watch-row' | 'watch-list'>,
    Named<'watch-acknowledge' | 'watch-snooze' | 'watch-more'>,
    Named<'access-form' | 'application-access-form' | 'access-remove' | 'os-token-revoke'>,
    Named<'project-form' | 'project-remove'>,
    Named<'connect' | 'connect-form' | 'connection-expiry-form' | 'disconnect-form'>,
    Named<'home-refresh' | 'audit' | 'settings-form' | 'ask-manager' | 'open-asked'> {
  /** Runs the command in its value; the answer replaces the message. */
  rerun: true;
  /** Runs the command in its value; the answer follows the message. */
  run: true;
  /** Answers the command in its value again, for the channel. */
  share: true;
}

export type CommandName = keyof Commands;

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
