/** The names of commands, buttons and forms. A button or sentence that names a deleted feature doesn't compile. */

type Named<Names extends string> = Readonly<Record<Names, true>>;

export interface Commands
  extends Named<'/balance' | '/spend' | '/os-token'>,
    Named<'/billing schedule' | '/billing schedules' | '/billing watch' | '/billing watches'>,
    Named<'/billing projects' | '/billing projects access' | '/billing default'>,
    Named<'/billing connect' | '/billing disconnect' | '/billing status' | '/billing settings'>,
    Named<'/billing audit' | '/billing help'> {}

/** Each key is the action ID of a button or form, up to its colon. */
export interface Actions
  extends Named<'schedule-form' | 'schedule-row' | 'schedule-list'>,
    Named<'watch-form' | 'watch-row' | 'watch-list'>,
    Named<'watch-acknowledge' | 'watch-more'>,
    Named<'access-form' | 'application-access-form' | 'access-remove' | 'os-token-revoke'>,
    Named<'project-form' | 'project-remove'>,
    Named<'connect' | 'connect-form' | 'connection-expiry-form' | 'disconnect-form'>,
    Named<'home-refresh' | 'audit' | 'settings-form' | 'ask-manager' | 'open-asked'> {
  /** Runs the button's command; the answer replaces the message. */
  rerun: true;
  /** Runs the button's command; the answer is a new message. */
  run: true;
  /** Runs the button's command; the answer is a new message for the whole channel. */
  share: true;
}

export type CommandName = keyof Commands;

/** `/spend`, `/billing`: what Slack delivers as the command */
export type SlashCommand = CommandName extends infer Name
  ? Name extends `${infer First} ${string}`
    ? First
    : Name
  : never;

/** What a command is about. Only questions about `projects` can be followed up in a thread. */
export const ASKS_ABOUT: Readonly<Record<SlashCommand, 'projects' | 'project' | 'anything'>> = {
  '/spend': 'projects',
  '/balance': 'projects',
  '/os-token': 'project',
  '/billing': 'anything',
};
export const canFollowUp = (command: SlashCommand): boolean => ASKS_ABOUT[command] === 'projects';

/** `schedule`, `status`: the word after `/billing` */
export type BillingVerb = CommandName extends infer Name
  ? Name extends `/billing ${infer Verb}`
    ? Verb extends `${string} ${string}`
      ? never
      : Verb
    : never
  : never;

export type ActionName = keyof Actions;
export type ActionId = ActionName | `${ActionName}:${string}`;

/** Lets the compiler check a command's name in a sentence. */
export const commandText = (command: CommandName): string => command;

export const mentionText = (command: CommandName): string => command.slice(1);
