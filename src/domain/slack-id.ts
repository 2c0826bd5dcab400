/** Slack's ID of a person, a channel, a user group, a workspace or an organization: `U012AB3CD`. */
export type SlackId = string;

/** Refuses colons and braces, which would change a Redis key that contains the ID. */
export const isSlackId = (text: string): boolean => /^[A-Z0-9]{1,64}$/.test(text);

export const PERSON = /^[UW][A-Z0-9]{1,30}$/;
export const GROUP = /^S[A-Z0-9]{1,30}$/;
const CHANNEL = /^[CG][A-Z0-9]{1,30}$/;

export const isPerson = (text: string): boolean => PERSON.test(text);
export const isGroup = (text: string): boolean => GROUP.test(text);
export const isChannel = (text: string): boolean => CHANNEL.test(text);
export const isDirectMessage = (channel: SlackId): boolean => channel.startsWith('D');
export const isOrganizationId = (id: SlackId): boolean => id.startsWith('E');

/** `<@U012AB3CD>`: how Slack writes a person, a channel or a user group in a text. */
export const MENTION = /^<?(?:[@#][uwc][a-z\d]{6,}|!subteam\^s[a-z\d]{6,})>?$/i;
