import type { Block } from '../slack/kit/atoms.ts';
import type { HelpLine } from '../slack/kit/help.ts';
import type { CommandListener, Listeners } from '../slack/listeners.ts';
import type { Visit } from '../slack/visit.ts';

/** What the house asks of a feature: all that people can see of it, and how it is explained to them. */
export interface Feature extends Listeners {
  readonly help: readonly HelpLine[];
  /** Second words of `/billing`. */
  readonly verbs?: Readonly<Record<string, CommandListener>>;
  /** What it shows on a person's Home, for whom the visit is; called when that is opened. */
  home?(visit: Visit): readonly Block[];
}
