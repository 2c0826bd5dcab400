/** Slack's ID of a person, a channel, a user group, a workspace or an organization: `U012AB3CD`. */
export type SlackId = string;
