/** Makes the pages' tables of tested examples. */

type Row = readonly string[];

export type Tables = Readonly<Record<string, readonly Row[]>>;

const MARKED = /(<!-- examples: (\S+) -->\n\n).*?(\n<!-- end of examples -->)/gs;

export const tablesOn = (page: string): readonly string[] =>
  [...page.matchAll(MARKED)].map(([, , name = '']) => name);

function formatTable([head = [], ...rows]: readonly Row[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: Row) => `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |\n`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}

/** @returns the page with each marked table made anew */
export const fillTables = (page: string, tables: Tables): string =>
  page.replace(
    MARKED,
    (_, before: string, name: string, after: string) => `${before}${formatTable(tables[name] ?? [])}${after}`,
  );

export const code = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(', ');
