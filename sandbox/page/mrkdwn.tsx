/** Draws Slack's text objects. */
import type { TextObject } from '@slack/types';
import { createElement, type ReactNode } from 'react';
import { fillDate } from './dates.ts';
import { authorOf, type PageWorkspace, useWorkspace } from './workspace.tsx';

/** Draws a text object. The library isn't used here: it reads mrkdwn as Markdown and drops lines with `#`. */
export function Text({ text }: { text: TextObject }) {
  const workspace = useWorkspace();
  return (
    <div className="text">{text.type === 'mrkdwn' ? render(text.text, workspace) : emojiIn(text.text)}</div>
  );
}

const EMOJI: Record<string, string> = {
  eyes: '👀',
  speech_balloon: '💬',
  warning: '⚠️',
  white_check_mark: '✅',
  zzz: '💤',
};
export const emojiIn = (text: string) =>
  text.replace(/:(\w+):/g, (whole, name: string) => EMOJI[name] ?? whole);

const decode = (text: string) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

/** Matches a bracket, code, or text in bold, italic or strikethrough signs. */
const INLINE =
  /<([^<>\s][^<>]*)>|`([^`\n]+)`|(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]*?\S)_(?!\w)/g;

function render(text: string, workspace: PageWorkspace): ReactNode[] {
  const found: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, angle, code, bold, italic] = match;
    found.push(emojiIn(decode(text.slice(from, match.index))));
    from = match.index + whole.length;
    const styled = (tag: string, inside: ReactNode) => createElement(tag, { key: match.index }, inside);
    if (angle) found.push(<span key={match.index}>{bracket(angle, workspace)}</span>);
    else if (code) found.push(styled('code', decode(code)));
    else if (bold) found.push(styled('b', render(bold, workspace)));
    else if (italic) found.push(styled('i', render(italic, workspace)));
  }
  return [...found, emojiIn(decode(text.slice(from)))];
}

/** Draws `<@U1>`, `<#C1>`, `<!here>`, `<!subteam^S1>`, `<!date^…|fallback>` and `<https://…|words>`. */
function bracket(inside: string, { snapshot, me, now }: PageWorkspace): ReactNode {
  const [target = '', label] = inside.split('|', 2);
  const [name = '', first = '', format = ''] = target.slice(1).split('^');
  if (target.startsWith('@')) return <Mention>@{authorOf(name, snapshot).name}</Mention>;
  if (target.startsWith('#'))
    return <Mention>#{snapshot.channels.find(({ id }) => id === name)?.name ?? name}</Mention>;
  if (name === 'date') return fillDate(decode(format), Number(first), me, now());
  if (target.startsWith('!')) return <Mention>@{label ?? (first || name)}</Mention>;
  const words = decode(label ?? target);
  if (!/^(https?:|mailto:)/i.test(target)) return words;
  return (
    <a href={decode(target)} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}

const Mention = ({ children }: { children: ReactNode }) => <span className="mention">{children}</span>;
