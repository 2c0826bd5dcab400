import { type CsvCell, formatCsv } from '../../domain/csv.ts';
import { isFailure } from '../../domain/failure/index.ts';
import type { Output } from '../../domain/language/items.ts';
import type { Amount } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { listNames } from '../../domain/wording.ts';
import type { UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { ProjectAnswer, ProjectAnswers } from '../commands/project-answers.ts';
import { failedSentence } from '../commands/project-table.ts';
import { type Block, type Message, preformatted, SLACK_LIMITS, section } from '../kit/blocks.ts';
import { modal } from '../kit/modal.ts';
import type { Request } from '../request/request.ts';
import { isDirectMessage } from '../request/source.ts';
import type { AnswerView } from './render-answer.ts';
import type { OutgoingFile } from './reply-messages.ts';

/** An answer's figures in another form. */
export interface AnswerFiles<T> {
  readonly name: string;
  /** Between the project's, and the note. */
  readonly columns: readonly string[];
  /** The cells of those columns, and the note, of each row. */
  readonly rowsOf: (answer: T) => readonly (readonly CsvCell[])[];
  /** What a row is for, `each day (UTC)`, and what is missing in the rows. */
  readonly each: string;
  readonly gaps?: readonly string[];
  /** What to compare with the console or an invoice: names and exact values. */
  readonly detailsOf: (answer: T) => Details['rows'];
}

/** An answer to a command about projects. */
export interface ConnectedAnswer extends ProjectAnswer {
  readonly connection: string;
}

/** Sends a file or the details in the place of the message, unless there are no figures. @throws slack-failed */
export async function sendOutput<T extends ConnectedAnswer>(
  message: Message,
  view: AnswerView<T>,
  output: Exclude<Output, 'why'>,
  files: AnswerFiles<T>,
  request: Request,
): Promise<void> {
  const { answered, failed, fetched } = view;
  if (answered.length === 0) return request.reply.update(message);
  if (output === 'csv') {
    const { name, each, gaps = [] } = files;
    const names = listNames(answered.map(({ target }) => target.label));
    const of = view.projects.isList ? ` of ${names}` : '';
    const about = [
      `${message.text}.`,
      `The file has a row for ${each}${of}.`,
      failedSentence(failed),
      ...gaps,
    ];
    const content = formatAnswers(view, files);
    return sendCsv({ name, content, about: about.filter(Boolean).join(' ') }, request);
  }
  const details = answered.map((answer): Details => {
    const { target, connection } = answer;
    return {
      label: target.label,
      rows: [
        ['Project', target.project],
        ['Product', `${PRODUCTS[target.product].name} (${target.product})`],
        ...files.detailsOf(answer),
        ['Connection', connection],
        ['Asked at', new Date(fetched).toISOString()],
      ],
    };
  });
  await showDetails(details, failed, request);
}

/** A header, then the rows of each project; amounts have billing's exact digits. One that failed says why in its note. */
const formatAnswers = <T extends ProjectAnswer>(
  { answered, failed }: ProjectAnswers<T>,
  { columns, rowsOf }: Pick<AnswerFiles<T>, 'columns' | 'rowsOf'>,
): string =>
  formatCsv([
    ['project', 'product', ...columns, 'note'].map((text) => ({ text })),
    ...answered.flatMap((answer) => {
      const { project, product } = answer.target;
      return rowsOf(answer).map((row) => [{ digits: project }, { text: PRODUCTS[product].word }, ...row]);
    }),
    ...failed.map(({ project, product, failure }) => [
      { text: project },
      { text: product === undefined ? '' : PRODUCTS[product].word },
      ...columns.map(() => ({ digits: '' })),
      { text: failure.message },
    ]),
  ]);

/** The digits of an amount as billing sent them; none of an unreadable one. */
export const rawDigits = (amount: Amount): CsvCell => ({ digits: 'raw' in amount ? amount.raw : '' });

/** Why a note says that an amount is not whole. */
export function amountNotes(name: string, amount: Amount & { readonly incomplete?: boolean }): string[] {
  if ('unreadable' in amount) return [`${name} unreadable: ${amount.unreadable}`];
  return amount.incomplete === true ? [`${name} incomplete`] : [];
}

/** What trying again does not change, by Slack's error codes. */
const NO_FILES: Readonly<Record<string, string>> = {
  missing_scope: 'it was installed without the files:write permission',
  not_in_channel: 'it isn’t in this channel',
  channel_not_found: 'it isn’t in this channel',
  posting_to_channel_denied: 'it isn’t allowed to post in this channel',
  access_denied: 'this workspace doesn’t allow it',
  file_uploads_disabled: 'file uploads are turned off in this workspace',
  file_uploads_except_images_disabled: 'this workspace allows images only',
};

/**
 * As a file in the thread where the channel asked, else in the user's conversation with Tally; if Tally can't send
 * files, as text in a modal, and if none can be opened, in a message.
 * @throws slack-failed
 */
export async function sendCsv(
  { name, content, about }: Omit<OutgoingFile, 'title'>,
  request: Request,
): Promise<void> {
  try {
    const isPublic = await request.reply.file({ name, title: name, content, about });
    if (isPublic) return;
  } catch (error) {
    const why = isFailure(error, 'slack-failed') ? NO_FILES[error.data.code] : undefined;
    if (why === undefined) throw error;
    return showText(content, [about, `Tally can’t send files here: ${why}.`], request);
  }
  const where = 'The CSV is in your direct messages with Tally.';
  const text = isDirectMessage(request.channel ?? '') ? where : `${about} ${where}`;
  await request.reply.private({ text, blocks: [section(text)] });
}

/** Each block of text is one that Slack shows whole. */
const MOST_PARTS = { modal: 60, message: 15 } as const;

/** @param reasons what the file holds, and why it is text */
async function showText(
  content: string,
  reasons: readonly [about: string, why: string],
  request: Request,
): Promise<void> {
  if (request.reply.modal.canOpen) {
    try {
      const view = modal({ title: 'CSV', blocks: textBlocks(content, reasons, MOST_PARTS.modal) });
      return await request.reply.modal.open(view);
    } catch (error) {
      // The click may be too long ago for a modal.
      if (!isFailure(error, 'slack-failed')) throw error;
    }
  }
  const blocks = textBlocks(content, reasons, MOST_PARTS.message);
  await request.reply.private({ text: 'CSV as text', blocks });
}

function textBlocks(content: string, [about, why]: Parameters<typeof showText>[1], most: number): Block[] {
  const parts = inParts(content.split('\r\n').filter(Boolean));
  const rest = parts.length - most;
  return [
    section(about),
    section(rest > 0 ? `${why} This is the beginning; ask about a shorter period for the rest.` : why),
    ...parts.slice(0, most).map(preformatted),
  ];
}

function inParts(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let part = '';
  for (const line of lines) {
    if (part !== '' && part.length + line.length + 1 > SLACK_LIMITS.section) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? line : `${part}\n${line}`;
  }
  return part === '' ? parts : [...parts, part];
}

/** What to compare with the console or an invoice. */
export interface Details {
  readonly label: string;
  /** Name and value, exact. */
  readonly rows: readonly (readonly [string, string])[];
}

/** In a window; after a message, in a message. @param failed projects without figures @throws slack-failed */
export async function showDetails(
  details: readonly Details[],
  failed: readonly UnresolvedProject[],
  request: Request,
): Promise<void> {
  const reasons = failed.map(({ label, failure }) => ({
    label,
    rows: [['No figures', failure.message] as const],
  }));
  const blocks = [...details, ...reasons].flatMap(({ label, rows }) => {
    const width = Math.max(...rows.map(([name]) => name.length)) + 2;
    return [
      section(label),
      preformatted(rows.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n')),
    ];
  });
  if (request.reply.modal.canOpen) return request.reply.modal.open(modal({ title: 'Details', blocks }));
  await request.reply.private({ text: 'Details', blocks });
}
