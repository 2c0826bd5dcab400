/** The names of a record's fields: some alone, some before a name. */
/** What Slack gave for the workspace. */
export const INSTALLATION = 'installation';
/** The organisation whose installation serves a workspace that has none of its own. */
export const SERVED = 'served';
export const SETTINGS = 'settings';
export const CONNECTION = 'connection:';
export const PROJECT = 'project:';
export const CHANNEL = 'channel:';
/** The application access of a project, by its ID. */
export const ACCESS = 'access:';
/** Whether the service takes the tokens of that access back, as a revocation taught. */
export const REVOCABLE = 'revocable:';
/** Who was told that a token appears on one's own screen only. */
export const TOLD = 'told:';
export const REMOVED = 'removed:';
export const SCHEDULE = 'schedule:';
/** How a schedule's last delivery ended. */
export const SENT = 'sent:';
/** A schedule that was removed. */
export const UNSCHEDULED = 'unscheduled:';
