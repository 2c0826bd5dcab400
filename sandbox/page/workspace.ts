import { createContext, useContext } from 'react';
import type { Channel, Person, Snapshot } from '../protocol.ts';

export interface PageWorkspace {
  snapshot: Snapshot;
  me: Person;
  /** The time on the sandbox's clock. */
  now(): Date;
  /** The open channel; undefined on the App Home. */
  channel: Channel | undefined;
  /** Shows an error as a toast. */
  report(problem: string): void;
}

const Context = createContext<PageWorkspace | null>(null);
export const WorkspaceProvider = Context.Provider;

export function useWorkspace(): PageWorkspace {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('Rendered outside a WorkspaceProvider');
  return workspace;
}

export interface Author {
  name: string;
  kind: 'person' | 'bot' | 'slackbot';
  color: string;
}

export function authorOf(from: string, { people, bot }: Snapshot): Author {
  if (from === 'bot' || from === bot.userId) return { name: bot.name, kind: 'bot', color: '#0b6e5b' };
  if (from === 'slackbot') return { name: 'Slackbot', kind: 'slackbot', color: '#5a5f87' };
  const person = people.find(({ id }) => id === from);
  return { name: person?.realName ?? from, kind: 'person', color: person?.color ?? '#777' };
}
