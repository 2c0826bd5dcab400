import type { BillingClient } from '../billing/client.ts';
import type { ProductId } from '../domain/product.ts';
import type { Day } from '../domain/time/calendar.ts';
import type { Block, Message } from '../slack/kit/atoms.ts';
import type { HelpLine } from '../slack/kit/help.ts';
import type { CommandListener, Listeners } from '../slack/listeners.ts';
import type { Request } from '../slack/request.ts';
import type { AnswerNotes } from '../workspace/last-used.ts';
import type { ReportName } from '../workspace/schedules.ts';
import type { Workspace } from '../workspace/workspaces.ts';

/** What the house asks of a feature: all that people can see of it, and how it is explained to them. */
export interface Feature extends Listeners {
  readonly help: readonly HelpLine[];
  /** Second words of `/billing`. */
  readonly verbs?: Readonly<Record<string, CommandListener>>;
  /** What it shows on a person's Home, for whom the visit is; called when that is opened. */
  home?(request: Request): readonly Block[] | Promise<readonly Block[]>;
  /** What it says in `/billing status`, to whom the visit is for. */
  status?(request: Request): readonly Block[] | Promise<readonly Block[]>;
  /** What of it can be posted by a schedule. */
  readonly reports?: Readonly<Partial<Record<ReportName, PostableReport>>>;
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

/** A question that nobody types: a channel's, as of the instant when a schedule is due. */
export interface ReportQuestion {
  readonly workspace: Workspace;
  /** In order; several make a digest. */
  readonly projects: readonly { readonly id: string; readonly product: ProductId }[];
  readonly channel: string;
  /** The instant the figures are as of, in ms. */
  readonly at: number;
  /** IANA: what a day is. The workspace's reporting zone, or the one of a post that is looked at again. */
  readonly zone: string;
  /** How many days a report of yesterday is about. */
  readonly days: number;
  /** Asks each question once however many schedules want its answer. */
  readonly billing: BillingClient;
  /** Told of each connection that an answer came by, and of a registered project's balance in it. */
  readonly answeredBy: AnswerNotes['add'];
}

/** What is posted, and the figures in it that a later look is compared with. */
export interface ReportResult {
  /** Without a word of who set it up or that it is late: the schedule adds those. */
  readonly message: Message;
  /** `<project id>:<product>` → the total's digits, exact; absent where there is none. */
  readonly figures: Readonly<Record<string, string>>;
  /** What the figures are of: `Fri 20 Nov 2026 UTC`. */
  readonly covers: string;
  /** No project spent anything. */
  readonly isEmpty: boolean;
  /** `<project id>:<product>` → why it gave no answer, in a sentence; of those that gave none. */
  readonly unanswered: Readonly<Record<string, string>>;
}

export interface PostableReport {
  /** The days that a post is about, in order, as `run` finds them; none where it is about an instant. */
  covers(question: Pick<ReportQuestion, 'at' | 'days'>, zone: string): readonly Day[];
  /** @throws Failure where no project of the question could be answered */
  run(question: ReportQuestion): Promise<ReportResult>;
}
