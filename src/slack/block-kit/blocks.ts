/** Block Kit's blocks, messages and modals, within Slack's limits. */
import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  ConfirmationDialog,
  ContainerBlock,
  ContextBlock,
  HeaderBlock,
  InputBlock,
  ModalView,
  MrkdwnElement,
  Overflow,
  PlainTextElement,
  PlainTextOption,
  RichTextBlock,
  SectionBlock,
  StaticSelect,
  TableBlock,
} from '@slack/types';
import type { ActionId } from '../../domain/command-names.ts';
import type { Millis } from '../../domain/time/calendar.ts';

/** Lengths are in characters. Source: https://docs.slack.dev/reference/block-kit */
export const SLACK_LIMITS = {
  header: 150,
  section: 3000,
  contextElements: 10,
  button: 75,
  buttonValue: 2000,
  option: 75,
  optionValue: 150,
  options: 100,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  modalTitle: 24,
  privateMetadata: 3000,
  tableRows: 100,
  tableCharacters: 10_000,
  overflowOptions: 5,
  containerTitle: 150,
  chartTitle: 50,
  chartPoints: 20,
  chartLabel: 20,
  input: 3000,
} as const;

export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

export const fitsOption = ({ value = '' }: { readonly value?: string }): boolean =>
  value.length <= SLACK_LIMITS.optionValue;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack ignores an underscore inside a word, as in `Los_Angeles`. */
const MARKS = /[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

/** Slack can't escape `*`, `_`, `~` or backticks, so a zero-width space disables each of these characters. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '').replace(MARKS, '\u200b$&');

export const mention = (person: string): string => `<@${escapeMarkup(person)}>`;
export const channelLink = (channel: string): string => `<#${escapeMarkup(channel)}>`;

/** `@slack/types` 3.2 lacks this block: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
export interface Chart {
  readonly type: 'data_visualization';
  readonly title: string;
  readonly chart: {
    readonly type: 'bar' | 'line';
    readonly series: readonly {
      readonly name: string;
      readonly data: readonly { readonly label: string; readonly value: number }[];
    }[];
    readonly axis_config: { readonly categories: readonly string[] };
  };
}

export type Block =
  | ActionsBlock
  | ContainerBlock
  | ContextBlock
  | HeaderBlock
  | RichTextBlock
  | SectionBlock
  | Chart
  | TableBlock;

/** Notifications and screen readers use `text`. The caller must not escape it: `escapeMessageText` does. */
export interface Message {
  readonly text: string;
  readonly blocks: readonly Block[];
}

const REFERENCE = /<!date\^\d+\^[^|>]*\|(?<date>[^>]*)>|<(?<sign>[@#])[A-Z0-9]{9,}(?:\|[^>]*)?>/g;

/** Escapes `text`, in which Slack would otherwise interpret markup. Mentions and dates become readable words. */
export const escapeMessageText = ({ text, blocks }: Message) => ({
  text: escapeMarkup(
    text.replace(
      REFERENCE,
      (_, date?: string, sign?: string) => date ?? (sign === '@' ? 'someone' : 'a channel'),
    ),
  ),
  blocks: [...blocks],
});

/** Slack refuses empty texts, so an empty text becomes a dash. */
export const plainText = (text: string, limit: number = SLACK_LIMITS.section): PlainTextElement => ({
  type: 'plain_text',
  text: clipText(text, limit) || '–',
  emoji: false,
});

/** The caller must escape untrusted text with `escapeMarkup`. */
const mrkdwn = (text: string): MrkdwnElement => ({
  type: 'mrkdwn',
  text: clipText(text, SLACK_LIMITS.section),
  verbatim: true,
});

export const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: plainText(text, SLACK_LIMITS.header),
});

export const titleBlocks = (title: string): Block[] =>
  title.length > SLACK_LIMITS.header ? [header(title), section(title)] : [header(title)];

export const withoutActions = (blocks: readonly Block[]): Block[] =>
  blocks.filter(({ type }) => type !== 'actions');

export const section = (text: string): SectionBlock => ({ type: 'section', text: plainText(text) });

export const markup = (text: string): SectionBlock => ({ type: 'section', text: mrkdwn(text) });

export const context = (...texts: readonly string[]): ContextBlock => ({
  type: 'context',
  elements: texts.slice(0, SLACK_LIMITS.contextElements).map(mrkdwn),
});

const richText = (element: RichTextBlock['elements'][number]): RichTextBlock => ({
  type: 'rich_text',
  elements: [element],
});

/** Slack doesn't interpret markup in a rich text element. */
const textElement = (text: string) =>
  ({ type: 'text', text: clipText(text, SLACK_LIMITS.section) || '–' }) as const;

export const quote = (text: string): RichTextBlock =>
  richText({ type: 'rich_text_quote', elements: [textElement(text)] });

export const preformatted = (text: string): RichTextBlock =>
  richText({ type: 'rich_text_preformatted', elements: [textElement(text)], border: 0 });

const messageAs =
  (draw: (text: string) => Block) =>
  (text: string, ...more: readonly Block[]): Message => ({ text, blocks: [draw(text), ...more] });

export const textMessage = messageAs(section);

/** The text can have mentions and links, so the caller must escape untrusted text. */
export const markupMessage = messageAs(markup);

export const questionMessage = messageAs(header);

export type Optional<T> = T | false | undefined;

export const compact = <T>(parts: readonly Optional<T>[]): T[] =>
  parts.filter((part): part is T => part !== false && part !== undefined);

export const joinTexts = (separator: string, texts: readonly Optional<string>[]): string =>
  texts.filter(Boolean).join(separator);

export const actions = (...elements: readonly Optional<ActionsBlockElement>[]): ActionsBlock => ({
  type: 'actions',
  elements: compact(elements),
});

/** Slack rejects an actions block without buttons. */
export const buttonRow = (buttons: readonly Optional<Button>[]): readonly ActionsBlock[] => {
  const row = actions(...buttons);
  return row.elements.length === 0 ? [] : [row];
};

export interface ButtonOptions {
  readonly value?: string;
  readonly style?: 'primary' | 'danger';
  readonly confirm?: ConfirmationDialog;
}

export const button = (id: ActionId, label: string, options: ButtonOptions = {}): Button => ({
  type: 'button',
  action_id: id,
  text: plainText(label, SLACK_LIMITS.button),
  ...options,
});

export const confirmDialog = (title: string, text: string, yes: string, no: string): ConfirmationDialog => ({
  title: plainText(title, SLACK_LIMITS.confirmTitle),
  text: plainText(text, SLACK_LIMITS.confirmText),
  confirm: plainText(yes, SLACK_LIMITS.confirmButton),
  deny: plainText(no, SLACK_LIMITS.confirmButton),
  style: 'danger',
});

export const option = (label: string, value: string, description?: string): PlainTextOption => ({
  text: plainText(label, SLACK_LIMITS.option),
  value,
  ...(description !== undefined && { description: plainText(description, SLACK_LIMITS.option) }),
});

/** More options than Slack accepts in a list are grouped under labels such as “alpha – dev”. */
export const select = (
  id: ActionId,
  placeholder: string,
  options: readonly PlainTextOption[],
  chosen?: PlainTextOption,
): StaticSelect => ({
  type: 'static_select',
  action_id: id,
  placeholder: plainText(placeholder, 150),
  ...(options.length > SLACK_LIMITS.options
    ? { option_groups: grouped(options) }
    : { options: [...options] }),
  ...(chosen !== undefined && { initial_option: chosen }),
});

function grouped(options: readonly PlainTextOption[]): NonNullable<StaticSelect['option_groups']> {
  const starts = options.map((_, at) => at).filter((at) => at % SLACK_LIMITS.options === 0);
  return starts.map((at) => {
    const group = options.slice(at, at + SLACK_LIMITS.options);
    return {
      label: plainText(`${group[0]?.text.text} – ${group.at(-1)?.text.text}`, SLACK_LIMITS.option),
      options: group,
    };
  });
}

export const overflow = (id: ActionId, options: readonly PlainTextOption[]): Overflow => ({
  type: 'overflow',
  action_id: id,
  options: [...options],
});

/** A time in the reader's time zone. Slack may write “Today”, so put the time after a colon or first in a line. */
export const instantMarkup = (ms: Millis): string =>
  `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {time}|${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC>`;

/** Spaces at which a phone must not break the line. */
const BESIDE_NUMBER = /(?<=[+−▲▼]) |(?<=\d) (?=(?:%|days?)$)/g;

export interface Column<T, Cell = string> {
  readonly title: string;
  readonly cell: (row: T) => Cell;
}

export const cellsOf = <T>(rows: readonly T[], columns: readonly Column<T>[]): string[][] => [
  columns.map(({ title }) => title),
  ...rows.map((row) => columns.map(({ cell }) => cell(row))),
];

export function fitsTable(rows: readonly (readonly string[])[]): boolean {
  return (
    rows.length <= SLACK_LIMITS.tableRows &&
    rows.flat().reduce((sum, cell) => sum + cell.length, 0) <= SLACK_LIMITS.tableCharacters
  );
}

/** Slack doesn't interpret markup in these cells. The first column is aligned left, the others right. */
export function table(rows: readonly (readonly string[])[]): TableBlock {
  const columns = rows[0]?.length ?? 0;
  return {
    type: 'table',
    column_settings: Array.from({ length: columns }, (_, column) => ({
      align: column === 0 ? 'left' : 'right',
      ...(column === 0 && { is_wrapped: true }),
    })),
    rows: rows.map((row) =>
      row.map((cell) => ({ type: 'raw_text', text: cell.replace(BESIDE_NUMBER, '\u00a0') || '–' })),
    ),
  };
}

export const collapsedTable = (title: string, rows: readonly (readonly string[])[]): ContainerBlock => ({
  type: 'container',
  title: plainText(title, SLACK_LIMITS.containerTitle),
  child_blocks: [table(rows)],
  width: 'full',
  is_collapsible: true,
  default_collapsed: true,
});

interface ModalOptions {
  readonly callback?: string;
  /** A text of at most 3,000 characters, which Slack sends back, and which users can read and change. */
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string;
  /** The label of the second button. The default is **Cancel** beside a submit button, otherwise **Close**. */
  readonly close?: string;
  readonly blocks: readonly Optional<Block | InputBlock>[];
}

export const modal = ({
  callback,
  metadata,
  title,
  submit,
  close = submit === undefined ? 'Close' : 'Cancel',
  blocks,
}: ModalOptions): ModalView => ({
  type: 'modal',
  title: plainText(title, SLACK_LIMITS.modalTitle),
  close: plainText(close, SLACK_LIMITS.modalTitle),
  ...(callback !== undefined && { callback_id: callback }),
  ...(metadata !== undefined && { private_metadata: metadata }),
  ...(submit !== undefined && { submit: plainText(submit, SLACK_LIMITS.modalTitle) }),
  // Slack's types don't have the chart block yet. No modal contains a chart.
  blocks: compact(blocks) as ModalView['blocks'],
});

/** Shows an error below the form's last field and keeps the input. @param instead replaces a form without fields */
export function refuseForm(
  blocks: readonly { readonly type: string; readonly block_id?: string | undefined }[],
  text: string,
  instead: ModalView,
) {
  const last = blocks.findLast(({ type }) => type === 'input')?.block_id;
  return last === undefined
    ? ({ response_action: 'update', view: instead } as const)
    : ({ response_action: 'errors', errors: { [last]: text } } as const);
}

export const waitingModal = (title: string, text = 'Saving…', ...more: readonly Block[]): ModalView =>
  modal({ title, blocks: [section(text), ...more] });
