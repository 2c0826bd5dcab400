/** Sends an answer as a message, as a CSV file, or as **Details** with the exact figures. */

import { PRODUCTS } from '../../domain/billing-products.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { mayOpenModal, type Output } from '../../domain/language/parsed-command.ts';
import { type Amount, writesDecimalComma } from '../../domain/money/amount.ts';
import { listNames } from '../../domain/wording.ts';
import { isDirectMessage } from '../../workspace/record/record-schemas.ts';
import { modal, preformatted, section, textMessage } from '../block-kit/blocks.ts';
import { failedSentence, type ProjectAnswer } from '../commands/asked-projects.ts';
import type { HandlerRules, Request } from '../request/request.ts';
import {
  type Answer,
  type AnswerFile,
  type AnswerView,
  type CsvCell,
  renderAnswer,
} from './render-answer.ts';

export interface ConnectedAnswer extends ProjectAnswer {
  readonly connection: string;
}

export async function sendAnswer<T extends ConnectedAnswer>(
  answer: Answer<T>,
  view: AnswerView<T>,
  output: Output | undefined,
  request: Request,
): Promise<void> {
  const isFile = (output === 'details' || output === 'csv') && view.answered.length > 0;
  const file = isFile ? answer.file?.() : undefined;
  if (file === undefined) return request.reply.update(renderAnswer(view, answer));
  if (output === 'details') return showDetails(file, view, request);
  const content = formatCsv(csvRows(file, view), writesDecimalComma(request.locale));
  const names = view.answered.map(({ target }) => target.label);
  const of = view.projects.isList ? ` of ${listNames(names)}` : '';
  const about = [
    `${answer.title}.`,
    `The file has a row for ${file.each}${of}.`,
    failedSentence(view.failed),
    ...file.gaps,
  ];
  await sendCsv({ name: file.name, content, about: about.filter(Boolean).join(' ') }, request);
}

const csvRows = <T extends ConnectedAnswer>(
  { columns, rows }: AnswerFile<T>,
  { answered, failed }: AnswerView<T>,
): readonly (readonly CsvCell[])[] => [
  ['project', 'product', ...columns, 'note'].map((text) => ({ text })),
  ...answered.flatMap((answer) => {
    const { project, product } = answer.target;
    return rows(answer).map((row) => [{ digits: project }, { text: PRODUCTS[product].word }, ...row]);
  }),
  ...failed.map(({ project, product, failure }) => [
    { text: project },
    { text: product === undefined ? '' : PRODUCTS[product].word },
    ...columns.map(() => ({ digits: '' })),
    { text: failure.message },
  ]),
];

/** The modal for **Details** must open within 3 s, but a CSV file needs no modal. */
export const answerNeeds = (text: string): Partial<HandlerRules> => {
  const sendsFile = /(?:^|\s)csv\b/i.test(text);
  return { sendsFile, opensForm: !sendsFile && mayOpenModal(text) };
};

/** A spreadsheet reads a cell that begins with one of these signs as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** CSV as in RFC 4180, with formulas made harmless. @param isDecimalComma separates cells by `;` */
export function formatCsv(rows: readonly (readonly CsvCell[])[], isDecimalComma = false): string {
  const separator = isDecimalComma ? ';' : ',';
  const format = (cell: CsvCell): string => {
    if ('digits' in cell) return isDecimalComma ? cell.digits.replace('.', ',') : cell.digits;
    const harmless = FORMULA.test(cell.text) ? `'${cell.text}` : cell.text;
    const isQuoted = /["\r\n]/.test(harmless) || harmless.includes(separator);
    return isQuoted ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  return rows.map((row) => `${row.map(format).join(separator)}\r\n`).join('');
}

/** The digits as billing sent them. Empty if the amount is missing or unreadable. */
export const rawDigits = (amount: Amount | undefined): CsvCell => ({
  digits: amount && 'raw' in amount ? amount.raw : '',
});

export function amountNotes(name: string, amount: Amount & { readonly incomplete?: boolean }): string[] {
  if ('unreadable' in amount) return [`${name} unreadable: ${amount.unreadable}`];
  return amount.incomplete === true ? [`${name} incomplete`] : [];
}

/** The file's name says `prod-staging` or `4-projects`. */
export const fileSubject = ({ targets, word, isList, top }: AnswerView<ProjectAnswer>['projects']): string =>
  !isList || targets.length <= MOST_NAMED || word === 'all' || top !== undefined
    ? word.replace(/[ ,]+/g, '-')
    : `${targets.length}-projects`;
const MOST_NAMED = 3;

const NO_FILES: readonly (readonly [code: RegExp, why: string])[] = [
  [/^missing_scope$/, 'it was installed without the files:write permission'],
  [
    /^(?:not_in_channel|channel_not_found|posting_to_channel_denied)$/,
    'it isn’t allowed to post in this channel',
  ],
  [/^(?:access_denied|file_uploads_.*)$/, 'this workspace doesn’t allow it'],
];

/** Excel reads a file as UTF-8 only if it begins with this byte order mark. */
const MARK = '\ufeff';

/** Uploads to the thread of a public answer, or else to the user's direct messages. */
async function sendCsv(
  { name, content, about }: Readonly<Record<'name' | 'content' | 'about', string>>,
  { reply, channel = '' }: Request,
): Promise<void> {
  try {
    if (await reply.file({ name, content: `${MARK}${content}`, about })) return;
  } catch (error) {
    const code = isFailure(error, 'slack-failed') ? error.data.code : '';
    const why = NO_FILES.find(([codes]) => codes.test(code))?.[1];
    if (why === undefined) throw error;
    return reply.private(textMessage(`Tally can’t send files here: ${why}.`));
  }
  const where = 'The CSV is in your direct messages with Tally.';
  await reply.private(textMessage(isDirectMessage(channel) ? where : `${about} ${where}`));
}

async function showDetails<T extends ConnectedAnswer>(
  file: AnswerFile<T>,
  { answered, failed, fetched }: AnswerView<T>,
  { reply }: Request,
): Promise<void> {
  const draw = (label: string, rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([name]) => name.length)) + 2;
    return [
      section(label),
      preformatted(rows.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n')),
    ];
  };
  const blocks = [
    ...answered.flatMap((answer) => {
      const { label, project, product } = answer.target;
      return draw(label, [
        ['Project', project],
        ['Product', `${PRODUCTS[product].name} (${product})`],
        ...file.details(answer),
        ['Connection', answer.connection],
        ['Asked at', new Date(fetched).toISOString()],
      ]);
    }),
    ...failed.flatMap(({ label, failure }) => draw(label, [['No figures', failure.message]])),
  ];
  if (reply.modal.canOpen) return reply.modal.open(modal({ title: 'Details', blocks }));
  await reply.private({ text: 'Details', blocks });
}
