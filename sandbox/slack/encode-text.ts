/** Encodes typed text as Slack does. */
import { BOT_USER } from './people.ts';
import type { Workspace } from './workspace.ts';

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Escapes the text, and turns URLs and mentions of people, the bot and channels into Slack's `<…>` forms. */
export function encodeText(text: string, workspace: Workspace, botName: string): string {
  const mention = (whole: string, name: string) => {
    const wanted = name.toLowerCase();
    if (wanted === botName.toLowerCase()) return `<@${BOT_USER}>`;
    const person = workspace.people.find((member) => member.name === wanted);
    return person ? `<@${person.id}>` : whole;
  };
  const channel = (whole: string, name: string) => {
    const conversation = [...workspace.conversations.values()].find(
      (conversation) => conversation.kind !== 'im' && conversation.name === name,
    );
    if (!conversation) return whole;
    return `<#${conversation.id}|${conversation.kind === 'public' ? conversation.name : ''}>`;
  };
  return escapeText(text)
    .replace(/https?:\/\/[^\s<>]+/g, (address) => `<${address}>`)
    .replace(/(?<![\w<@])@([\w.-]*\w)/g, mention)
    .replace(/(?<![\w<&])#([\w-]+)/g, channel);
}
