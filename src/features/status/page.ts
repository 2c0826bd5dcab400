import { pluralize } from '../../domain/language/text.ts';
import { type Block, context, formatInstant, header, type Message } from '../../slack/kit/atoms.ts';
import type { Workspace } from '../../workspace/workspaces.ts';
import type { StatusPart } from '../feature.ts';

/** Slack takes no more in a message. */
const MOST_BLOCKS = 50;
const RANK = { broken: 0, warning: 1, fine: 2 } as const;

/** The whole page: how many problems there are, then the parts, the worst first. @param at ms since the epoch */
export function statusPage(parts: readonly StatusPart[], workspace: Workspace, at: number): Message {
  const problems = parts.reduce((sum, part) => sum + part.problems, 0);
  const title = problems === 0 ? 'Everything works' : `${pluralize(problems, 'problem')} to look at`;
  const sorted = parts.toSorted((a, b) => RANK[a.health] - RANK[b.health]);
  const end = context([...lastAnswer(workspace), `As of ${formatInstant(at)}`].join(' · '));
  const blocks: readonly Block[] = sorted.flatMap((part) => part.blocks);
  return { text: title, blocks: [header(title), ...blocks.slice(0, MOST_BLOCKS - 2), end] };
}

/** Of any connection. */
function lastAnswer({ connectionNames, lastUsed }: Workspace): readonly string[] {
  const times = connectionNames.flatMap((name) => lastUsed(name) ?? []);
  if (connectionNames.length === 0) return [];
  return times.length === 0
    ? ['No answer from billing yet']
    : [`Last answer from billing ${formatInstant(Math.max(...times))}`];
}
