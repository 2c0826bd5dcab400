import type { Reports } from '../delivery/report.ts';
import type { Block } from '../slack/kit/atoms.ts';
import type { HelpLine } from '../slack/kit/help.ts';
import type { CommandListener, Listeners } from '../slack/listeners.ts';
import type { Request } from '../slack/request.ts';

/** What the house asks of a feature: all that people can see of it, and how it is explained to them. */
export interface Feature extends Listeners {
  readonly help: readonly HelpLine[];
  /** Second words of `/billing`. */
  readonly verbs?: Readonly<Record<string, CommandListener>>;
  /** What it shows on a person's Home, for whom the visit is; called when that is opened. */
  home?(request: Request): readonly Block[] | Promise<readonly Block[]>;
  /** What it says in `/billing status`, to whom the visit is for. */
  status?(request: Request): readonly Block[] | Promise<readonly Block[]>;
  /** What schedules can post of it. */
  readonly reports?: Reports;
  /** More that is done with a project, by the word after `/billing projects`; for those who manage. */
  readonly projectVerbs?: Readonly<Record<string, ProjectAction>>;
  /** From now on it works by itself as well. */
  start?(): void;
  /** Begins nothing more by itself, and lets what is under way end within `patience` ms. */
  stop?(patience: number): Promise<void>;
  /** A workspace registered a token: what waited for one may go on. Never rejects. */
  connected?(workspace: string): Promise<void>;
  /** A workspace left: nothing that names it stays outside of the workspace's own keys. @throws StoreUnavailable */
  forget?(workspace: string): Promise<void>;
}

export interface ProjectAction {
  /** In the menu of a project. */
  readonly label: string;
  /** @param word what was typed to mean the project: outside text */
  open(word: string, request: Request): Promise<void>;
}
