/**
 * Text → a drawing of boxes and arrows, as SVG that follows the reader's theme.
 *
 * `Name @ column,row` is a box (`row-row` for one that spans several), with its lines indented below it; `One -> Other: label`
 * is an arrow between boxes that have a row or a column in common, `<->` one both ways.
 */

interface Box {
  readonly column: number;
  readonly rows: readonly [first: number, last: number];
  readonly lines: string[];
}

const WIDTH = 236;
const HEIGHT = 92;
const GAP = { x: 128, y: 56 };
const MARGIN = 8;

const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; text-anchor: middle }
  .name { font-size: 16px; font-weight: 600; fill: #1f2328 }
  rect { fill: #f6f8fa; stroke: #d0d7de }
  line { stroke: #0b6e56; stroke-width: 1.5 }
  marker path { fill: #0b6e56 }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 }
    .name { fill: #f0f6fc }
    rect { fill: #151b23; stroke: #3d444d }
    line { stroke: #4cc3a1 }
    marker path { fill: #4cc3a1 }
  }`;

const edgeX = (column: number) => MARGIN + (column - 1) * (WIDTH + GAP.x);
const edgeY = (row: number) => MARGIN + (row - 1) * (HEIGHT + GAP.y);
const bottomOf = ({ rows: [, last] }: Box) => edgeY(last) + HEIGHT;
const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @throws for a line that is none of these, and for an arrow without both boxes */
export function drawDiagram(text: string, title: string): string {
  const boxes = new Map<string, Box>();
  const arrows: string[] = [];
  let last: Box | undefined;
  for (const line of text.split('\n')) {
    const [, name = '', column, first, end = first] = /^(.+) @ (\d),(\d)(?:-(\d))?$/.exec(line) ?? [];
    const [, from = '', sign, to = '', label = ''] = /^(.+?) (<?->) (.+?): (.+)$/.exec(line) ?? [];
    if (column !== undefined) {
      last = { column: Number(column), rows: [Number(first), Number(end)], lines: [] };
      boxes.set(name, last);
    } else if (sign !== undefined) arrows.push(drawArrow(boxes.get(from), boxes.get(to), sign, label));
    else if (line.startsWith('  ') && last !== undefined) last.lines.push(line.trim());
    else if (line !== '') throw new Error(`The diagram doesn't understand “${line}”`);
  }
  const all = [...boxes.values()];
  const width = Math.max(...all.map(({ column }) => edgeX(column) + WIDTH)) + MARGIN;
  const height = Math.max(...all.map(bottomOf)) + MARGIN;
  const head =
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${STYLE}
</style>
${head}
${[...[...boxes].map(([name, box]) => drawBox(name, box)), ...arrows].join('\n')}
</svg>
`;
}

function drawBox(name: string, box: Box): string {
  const [x, y] = [edgeX(box.column), edgeY(box.rows[0])];
  const height = bottomOf(box) - y;
  const middle = x + WIDTH / 2;
  const top = y + height / 2 - box.lines.length * 10 + 6;
  const lines = box.lines.map(
    (line, at) => `<text x="${middle}" y="${top + 22 + at * 20}">${escapeXml(line)}</text>`,
  );
  return `<rect x="${x}" y="${y}" width="${WIDTH}" height="${height}" rx="8"/>
<text class="name" x="${middle}" y="${top}">${escapeXml(name)}</text>
${lines.join('\n')}`;
}

function drawArrow(from: Box | undefined, to: Box | undefined, sign: string, label: string): string {
  if (from === undefined || to === undefined) throw new Error(`An arrow “${label}” leads to no box`);
  const start = sign === '<->' ? ' marker-start="url(#head)"' : '';
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" marker-end="url(#head)"${start}/>`;
  if (from.column === to.column) {
    const [x, y] = [edgeX(from.column) + WIDTH / 2, bottomOf(from)];
    return `${line(x, y, x, edgeY(to.rows[0]))}
<text x="${x + 12}" y="${y + GAP.y / 2 + 4}" style="text-anchor:start">${escapeXml(label)}</text>`;
  }
  // At the height of the rows that both have.
  const [first, end] = [Math.max(from.rows[0], to.rows[0]), Math.min(from.rows[1], to.rows[1])];
  const y = (edgeY(first) + edgeY(end) + HEIGHT) / 2;
  const x = edgeX(from.column) + WIDTH;
  return `${line(x, y, edgeX(to.column), y)}
<text x="${x + GAP.x / 2}" y="${y - 10}">${escapeXml(label)}</text>`;
}
