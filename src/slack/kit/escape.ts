const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Outside text for mrkdwn: `<!channel>` and the like lose their power, and formatting marks are kept apart by a
 * zero-width space, because Slack has no escape for `*`, `_`, `~` and the backtick.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '').replace(/[*_~`]/g, '\u200b$&');
}

/** A person, or a channel, by Slack's id: shown by its name to whoever may see it. */
export const mention = (person: string): string => `<@${escapeMarkup(person)}>`;
export const channelLink = (channel: string): string => `<#${escapeMarkup(channel)}>`;
