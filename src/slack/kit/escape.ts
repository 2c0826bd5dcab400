const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack formats at the edges of words alone: the underscore of `Los_Angeles` does nothing, and people copy it. */
const MARKS = /[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/**
 * Outside text for mrkdwn: `<!channel>` and the like lose their power, and formatting marks are kept apart by a
 * zero-width space, because Slack has no escape for `*`, `_`, `~` and the backtick.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '').replace(MARKS, '\u200b$&');
}

/** A person, or a channel, by Slack's id: shown by its name to whoever may see it. */
export const mention = (person: string): string => `<@${escapeMarkup(person)}>`;
export const channelLink = (channel: string): string => `<#${escapeMarkup(channel)}>`;
