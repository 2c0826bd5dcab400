const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack formats at the edges of words alone: the underscore of `Los_Angeles` does nothing, and people copy it. */
const MARKS = /[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/**
 * Escapes outside text for mrkdwn: `<!channel>` and the like become plain text, and a zero-width space separates
 * formatting marks, because Slack has no escape for `*`, `_`, `~` and the backtick.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '').replace(MARKS, '\u200b$&');
}

/** A user or channel by ID: Slack shows the name to people who may see it. */
export const mention = (person: string): string => `<@${escapeMarkup(person)}>`;
export const channelLink = (channel: string): string => `<#${escapeMarkup(channel)}>`;
