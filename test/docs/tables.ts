/** The tables of a page of docs that are made of tested examples; everything between them is written by hand. */

export type Row = readonly string[];

/** The first row is the head. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

const MARKED = /(<!-- examples: (\S+) -->\n\n).*?(\n<!-- end of examples -->)/gs;

function formatTable([head = [], ...rows]: readonly Row[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: Row) => `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |\n`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}

/** @returns the page with each marked table written anew. @throws for a table that has no rows, or rows that are on no page */
export function fillTables(page: string, tables: Tables): string {
  const shown: string[] = [];
  const filled = page.replace(MARKED, (_, before: string, name: string, after: string) => {
    const rows = tables[name];
    if (rows === undefined) throw new Error(`No examples are called ${name}`);
    shown.push(name);
    return `${before}${formatTable(rows)}${after}`;
  });
  const missing = Object.keys(tables).filter((name) => !shown.includes(name));
  if (missing.length > 0) throw new Error(`The page doesn't show ${missing.join(', ')}`);
  return filled;
}

/** Each in code marks. */
export const code = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(', ');
