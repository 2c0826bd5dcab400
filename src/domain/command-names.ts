/**
 * What people can type and press. When a feature and its names are deleted, the compiler refuses every button and sentence
 * that still has one of them.
 */

type Named<Names extends string> = Readonly<Record<Names, true>>;

/** Each key is a command as people type it. */
export interface Commands
  extends Named<'/balance' | '/spend' | '/os-token'>,
    Named<'/billing schedule' | '/billing schedules' | '/billing watch' | '/billing watches'>,
    Named<'/billing projects' | '/billing projects access' | '/billing default'>,
    Named<'/billing connect' | '/billing disconnect' | '/billing status' | '/billing settings'>,
    Named<'/billing audit' | '/billing help'> {}

/** Each key is the action ID of a button or form, up to its colon. The values are unused. */
export interface Actions
  extends Named<'schedule-form' | 'schedule-row' | 'schedule-list'>,
    Named<'watch-form' | 'watch-row' | 'watch-list'>,
    Named<'watch-acknowledge' | 'watch-snooze' | 'watch-more'>,
    Named<'access-form' | 'application-access-form' | 'access-remove' | 'os-token-revoke'>,
    Named<'project-form' | 'project-remove'>,
    Named<'connect' | 'connect-form' | 'connection-expiry-form' | 'disconnect-form'>,
    Named<'home-refresh' | 'audit' | 'settings-form' | 'ask-manager' | 'open-asked'> {
  /** Runs the command in the button's value; the answer replaces the button's message. */
  rerun: true;
  /** Runs the command in the button's value; the answer is a new message. */
  run: true;
  /** Runs the command in the button's value again and shows its answer to the whole channel. */
  share: true;
}

export type CommandName = keyof Commands;

/** A command's first word, by which Slack delivers it: `/spend`, `/billing`. */
export type SlashCommand = CommandName extends infer Name
  ? Name extends `${infer First} ${string}`
    ? First
    : Name
  : never;

/** The word after `/billing`: `schedule`, `status`. */
export type BillingVerb = CommandName extends infer Name
  ? Name extends `/billing ${infer Verb}`
    ? Verb extends `${string} ${string}`
      ? never
      : Verb
    : never
  : never;

export type ActionName = keyof Actions;
export type ActionId = ActionName | `${ActionName}:${string}`;

/** Puts a command's name into a sentence, so that the sentence doesn't compile once the command is deleted. */
export const commandText = (command: CommandName): string => command;

/** The command as people type it after a mention or in a direct message: `spend`. */
export const mentionText = (command: CommandName): string => command.slice(1);
