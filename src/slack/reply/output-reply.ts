import type { CsvCell } from '../../domain/csv.ts';
import { SlackFailed } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { type Block, type Message, preformatted, section } from '../kit/atoms.ts';
import { SLACK_LIMITS } from '../kit/limits.ts';
import { modal } from '../kit/modal.ts';
import type { Request } from '../request/request.ts';
import { isDirectMessage } from './post-message.ts';

export interface CsvFile {
  readonly name: string;
  readonly content: string;
  /** What it holds and what is missing, in sentences. */
  readonly about: string;
}

/**
 * As a file in the thread where the channel asked, else in the user's conversation with Tally; if Tally may not send
 * files, as text in a modal, and if none can be opened, in a message.
 * @throws SlackFailed
 */
export async function sendCsv({ name, content, about }: CsvFile, request: Request): Promise<void> {
  try {
    const isPublic = await request.reply.file({ name, title: name, content, about });
    if (isPublic) return;
  } catch (error) {
    if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
    return showText(content, about, request);
  }
  const where = 'The CSV is in your direct messages with Tally.';
  const text = isDirectMessage(request.channel ?? '') ? where : `${about} ${where}`;
  await request.reply.private({ text, blocks: [section(text)] });
}

/** A row for each project that failed, in a file whose first columns are project and product, and whose last is a note. */
export const failedCsvRows = (failed: readonly UnresolvedProject[], columns: number): CsvCell[][] =>
  failed.map(({ project, product, failure }) => [
    { text: project },
    { text: product === undefined ? '' : PRODUCTS[product].word },
    ...Array.from({ length: columns - 3 }, () => ({ digits: '' })),
    { text: failure.message },
  ]);

/** Each block of text is one that Slack shows whole. */
const MOST_PARTS = { modal: 60, message: 15 } as const;

async function showText(content: string, about: string, request: Request): Promise<void> {
  if (request.reply.modal.canOpen) {
    const isShown = await request.reply.modal
      .open(modal({ title: 'CSV', blocks: textBlocks(content, about, MOST_PARTS.modal) }))
      .then(() => true)
      // The click may be too long ago for a modal.
      .catch((error: unknown) => {
        if (error instanceof SlackFailed) return false;
        throw error;
      });
    if (isShown) return;
  }
  const message: Message = {
    text: 'CSV as text',
    blocks: textBlocks(content, about, MOST_PARTS.message),
  };
  await request.reply.private(message);
}

function textBlocks(content: string, about: string, most: number): Block[] {
  const parts = inParts(content.split('\r\n').filter(Boolean));
  const rest = parts.length - most;
  const why = "Tally can't send files here: it was installed without the files:write permission.";
  return [
    section(about),
    section(rest > 0 ? `${why} This is the beginning; ask about a shorter period for the rest.` : why),
    ...parts.slice(0, most).map(preformatted),
  ];
}

/** Whole lines, as many as fit into a block each. */
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

/** In a window; after a message, in a message. @param failed projects without figures @throws SlackFailed */
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
