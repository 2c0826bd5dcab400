/** The figures of an answer as a CSV file. */
import { PRODUCTS } from '../../domain/billing-products.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { type Amount, writesDecimalComma } from '../../domain/money/amount.ts';
import { isDirectMessage } from '../../domain/slack-id.ts';
import { listNames } from '../../domain/wording.ts';
import type { UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { textMessage } from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';
import { type AnswerView, failedSentence, type ProjectAnswer } from './project-answers.ts';

/** `text` is untrusted. `digits` is a number; only its decimal sign may be changed. */
export type CsvCell = { readonly text: string } | { readonly digits: string };

export interface AnswerFile<T> {
  readonly name: string;
  readonly columns: readonly string[];
  /** What each row is about: `each day (UTC)`. */
  readonly each: string;
  readonly gaps: readonly string[];
  readonly rows: (answer: T) => readonly (readonly CsvCell[])[];
  readonly details: (answer: T) => readonly (readonly [string, string])[];
}

const csvRows = <T extends ProjectAnswer>(
  { columns, rows }: AnswerFile<T>,
  { answered, failed }: AnswerView<T>,
): readonly (readonly CsvCell[])[] => [
  ['project', 'product', ...columns, 'note'].map((text) => ({ text })),
  ...answered.flatMap((answer) => {
    const { target } = answer;
    return rows(answer).map((row) => [nameCell(target), { text: PRODUCTS[target.product].word }, ...row]);
  }),
  ...failed.map((project) => [
    nameCell(project),
    { text: project.product === undefined ? '' : PRODUCTS[project.product].word },
    ...columns.map(() => ({ digits: '' })),
    { text: project.failure.message },
  ]),
];

/** Spreadsheets round long IDs, so the cell has the project's name if there is one. */
const nameCell = ({ label, project }: Pick<UnresolvedProject, 'label' | 'project'>): CsvCell => ({
  text: label === `Project ${project}` ? project : label,
});

/** A spreadsheet reads a cell that begins with one of these signs as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** Writes CSV (RFC 4180) with formulas made harmless. @param isDecimalComma writes `1,5` and separates cells by `;` */
export function formatCsv(rows: readonly (readonly CsvCell[])[], isDecimalComma = false): string {
  const separator = isDecimalComma ? ';' : ',';
  const format = (cell: CsvCell): string => {
    if ('digits' in cell) return isDecimalComma ? cell.digits.replace('.', ',') : cell.digits;
    const harmless = FORMULA.test(cell.text) ? `'${cell.text}` : cell.text;
    // Spreadsheets may split cells at a tab or the other separator, and a part of a cell could be a formula.
    return /["\r\n\t,;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
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

/** The part of the file's name that says what the file is about: `prod-staging` or `4-projects`. */
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

/** Uploads the file to the thread of a public answer, or else to the user's direct messages. */
export async function sendCsv<T extends ProjectAnswer>(
  title: string,
  file: AnswerFile<T>,
  view: AnswerView<T>,
  { reply, channel = '', locale }: Request,
): Promise<void> {
  const content = formatCsv(csvRows(file, view), writesDecimalComma(locale));
  const names = view.answered.map(({ target }) => target.label);
  const of = view.projects.isList ? ` of ${listNames(names)}` : '';
  const about = [
    `${title}.`,
    `The file has a row for ${file.each}${of}.`,
    failedSentence(view.failed),
    ...file.gaps,
  ]
    .filter(Boolean)
    .join(' ');
  try {
    if (await reply.file({ name: file.name, content: `${MARK}${content}`, about })) return;
  } catch (error) {
    const code = isFailure(error, 'slack-failed') ? error.data.code : '';
    const why = NO_FILES.find(([codes]) => codes.test(code))?.[1];
    if (why === undefined) throw error;
    return reply.private(textMessage(`Tally can’t send files here: ${why}.`));
  }
  const where = 'The CSV is in your direct messages with Tally.';
  await reply.private(textMessage(isDirectMessage(channel) ? where : `${about} ${where}`));
}
