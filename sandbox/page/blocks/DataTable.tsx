import type { DataTableBlock } from '@slack/types';
import { useState } from 'react';
import { ChevronIcon } from '../icons.tsx';
import { Display } from './Display.tsx';

type Cell = DataTableBlock['rows'][number][number];
type Order = { column: number; down: boolean };

/** Slack's default. */
const PAGE_SIZE = 5;

/** A table with pages and sorting. The library does not render it. The first row is the header. */
export function DataTable({ block }: { block: DataTableBlock }) {
  const [head = [], ...rows] = block.rows;
  const [page, setPage] = useState(0);
  const [order, setOrder] = useState<Order>();
  const size = block.page_size ?? PAGE_SIZE;
  const sorted = order
    ? [...rows].sort((a, b) => compare(a[order.column], b[order.column], order.down))
    : rows;
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const at = Math.min(page, pages - 1);
  const shown = sorted.slice(at * size, (at + 1) * size);
  const isNumeric = head.map((_, column) => rows.some((row) => row[column]?.type === 'raw_number'));
  const sort = (column: number) => {
    setPage(0);
    setOrder((before) =>
      before?.column !== column ? { column, down: false } : { column, down: !before.down },
    );
  };
  return (
    <div className="data-table">
      <div className="data-table-scroll">
        <table>
          <caption>{block.caption}</caption>
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                  key={column}
                  scope="col"
                  className={isNumeric[column] ? 'number' : ''}
                  aria-sort={order?.column === column ? (order.down ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" className="sort" onClick={() => sort(column)}>
                    <CellText cell={cell} />
                    {order?.column === column && (
                      <span className={order.down ? 'sorted down' : 'sorted'}>
                        <ChevronIcon size={14} />
                      </span>
                    )}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
              <Row key={at * size + index} cells={row} named={block.row_header_column_index ?? 0} />
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && <Pager at={at} pages={pages} size={size} rows={rows.length} go={setPage} />}
    </div>
  );
}

function Row({ cells, named }: { cells: Cell[]; named: number }) {
  return (
    <tr>
      {cells.map((cell, column) => {
        const Tag = column === named ? 'th' : 'td';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
          <Tag key={column} {...(column === named && { scope: 'row' })} className={cell.type}>
            <CellText cell={cell} />
          </Tag>
        );
      })}
    </tr>
  );
}

function CellText({ cell }: { cell: Cell }) {
  return cell.type === 'rich_text' ? <Display block={cell} /> : cell.text;
}

interface PagerProps {
  at: number;
  pages: number;
  size: number;
  rows: number;
  go(page: number): void;
}

function Pager({ at, pages, size, rows, go }: PagerProps) {
  return (
    <nav className="pager" aria-label="Table pages">
      <span>
        {at * size + 1}–{Math.min(rows, (at + 1) * size)} of {rows}
      </span>
      <button type="button" aria-label="Previous page" disabled={at === 0} onClick={() => go(at - 1)}>
        <ChevronIcon size={16} />
      </button>
      <button type="button" aria-label="Next page" disabled={at === pages - 1} onClick={() => go(at + 1)}>
        <ChevronIcon size={16} />
      </button>
    </nav>
  );
}

function compare(a: Cell | undefined, b: Cell | undefined, down: boolean): number {
  const [x, y] = [sortKey(a), sortKey(b)];
  const rising = typeof x === 'number' && typeof y === 'number' ? x - y : `${x}`.localeCompare(`${y}`);
  return down ? -rising : rising;
}

const sortKey = (cell: Cell | undefined) =>
  cell?.type === 'raw_number' ? cell.value : cell?.type === 'raw_text' ? cell.text : '';
