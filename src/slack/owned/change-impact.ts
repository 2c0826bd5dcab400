import { createHash } from 'node:crypto';
import { limitLines } from '../../domain/language/text.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type Block, compact, type Message, markup, section, textMessage } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** The items of one kind that stop when the record changes: their number, as `2 watches`, and a line of mark-up for each. */
export interface StoppedItems {
  readonly count: string;
  readonly lines: readonly string[];
  /** Items that go on with fewer projects or people, a line of mrkdwn each. */
  readonly reduced?: readonly string[];
}

/** What a change stops: for the question before it and the answer after it. */
export interface Stops {
  /** Also says so if nothing stops. */
  readonly question: readonly Block[];
  /** Empty if nothing stopped. */
  readonly answer: readonly Block[];
  /** Identifies the list in the question; '' if nothing stops. A form saves only after it has shown this list. */
  readonly digest: string;
}

type Reader = Pick<Request, 'workspace' | 'locale' | 'slack'>;

/** Finds what stops when the record becomes `after`. It never fails because Slack does. */
export type StopsSource = (
  before: Workspace,
  after: Workspace,
  reader: Reader,
) => StoppedItems | undefined | Promise<StoppedItems | undefined>;

/** The warning at the top of a form that was not saved: what saving would stop. */
export const warningBlocks = ({ question }: Stops): readonly Block[] => [...question, section(SAVE_AGAIN)];

/** The message in place of the warning if the form was closed. */
export const notSavedYet = ({ question }: Stops): Message =>
  textMessage('Nothing was saved. The form closed before you could confirm this:', ...question);

/** Further items are counted, not listed. */
const MOST_LINES = 20;

/** What a change of the record stops, by name and number. */
export async function findStops(
  sources: readonly StopsSource[],
  reader: Reader,
  after: Workspace,
): Promise<Stops> {
  const found = await Promise.all(sources.map((source) => source(reader.workspace, after, reader)));
  const items = found.flatMap((some) => some ?? []);
  const draw = (verb: string): readonly Block[] => {
    const lines = items.flatMap((item) => item.lines);
    const reduced = items.flatMap((item) => item.reduced ?? []);
    const counts = items.flatMap(({ count, lines: some }) => (some.length > 0 ? [count] : [])).join(' and ');
    return compact([
      lines.length > 0 &&
        markup(`*${verb} ${counts}:*\n${bullets(lines)}\n${lines.length === 1 ? RESUMES_ONE : RESUMES}`),
      reduced.length > 0 && markup(`*Continues with less:*\n${bullets(reduced)}`),
    ]);
  };
  const question = draw('This stops');
  if (question.length === 0) return { question: [section(NOTHING)], answer: [], digest: '' };
  const digest = createHash('sha256').update(JSON.stringify(question)).digest('base64').slice(0, 16);
  return { question, answer: draw('Stopped'), digest };
}

/** Why a schedule or a watch is paused where a change of the record can fix it. */
export const PAUSED_TEXTS = {
  'project-limited': 'paused: the project is limited to other channels',
  'not-connected': 'paused: its connection to the billing service is missing',
} as const;
export const RESUMES_BY_ITSELF = ' · resumes by itself once it works';

const SAVE_AGAIN = 'Nothing is saved yet. Choose Save again to save it anyway.';
const NOTHING = 'Scheduled posts, watches and application accesses keep working.';
const RESUMES_ONE = 'It resumes by itself once it can run again.';
const RESUMES = 'They resume by themselves once they can run again.';

const bullets = (lines: readonly string[]): string =>
  limitLines(
    lines.map((line) => `• ${line}`),
    MOST_LINES,
  ).join('\n');
