/** Sends an answer as a message, as a CSV file, or as **Details** with the exact figures. */
import { PRODUCTS } from '../../domain/billing-products.ts';
import type { Output } from '../../domain/language/parsed-command.ts';
import { modal, preformatted, section } from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';
import type { HandlerRules } from '../server/handlers.ts';
import { type AnswerFile, sendCsv } from './answer-file.ts';
import type { AnswerView, ProjectAnswer } from './project-answers.ts';
import { type Answer, renderAnswer } from './render-answer.ts';

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
  await sendCsv(answer.title, file, view, request);
}

/** The modal for **Details** must open within 3 s, but a CSV file needs no modal. */
export const answerNeeds = (text: string): Partial<HandlerRules> => {
  const sendsFile = /(?:^|\s)csv\b/i.test(text);
  return { sendsFile, opensForm: !sendsFile && mayOpenModal(text) };
};

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
    ...failed.flatMap(({ label, project, failure }) =>
      draw(label, [
        ['Project', project],
        ['No figures', failure.message],
      ]),
    ),
  ];
  if (reply.modal.canOpen) return reply.modal.open(modal({ title: 'Details', blocks }));
  await reply.private({ text: 'Details', blocks });
}

/** Also true for a project named `csv` or `details`. */
const mayOpenModal = (text: string): boolean => /(?:^|\s)(?:csv|details)[?!.,]?(?:\s|$)/i.test(text);
