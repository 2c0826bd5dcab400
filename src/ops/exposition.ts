/** What is counted, as lines of the text format that Prometheus and its kin read (version 0.0.4). */
export interface Metric {
  lines(): readonly string[];
}

type Labels = Readonly<Record<string, string>>;

export interface Counter extends Metric {
  add(labels: Labels): void;
}

export interface Histogram extends Metric {
  /** @param value in the unit that the name says */
  observe(value: number, labels: Labels): void;
}

/** A label's values come from our own tables; should one ever not, it grows no further than this. */
const MOST_SERIES = 200;

export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

export function counter(name: string, help: string): Counter {
  const values = bounded(() => ({ count: 0 }));
  return {
    add(labels) {
      values.of(labels).count += 1;
    },
    lines: () => [
      ...head(name, help, 'counter'),
      ...values.all().map(([labels, { count }]) => sample(name, labels, count)),
    ],
  };
}

/** @param limits upper ends of the buckets, ascending; the last one, infinity, comes by itself */
export function histogram(name: string, help: string, limits: readonly number[]): Histogram {
  const values = bounded(() => ({ counts: limits.map(() => 0), count: 0, sum: 0 }));
  return {
    observe(value, labels) {
      const one = values.of(labels);
      one.counts = one.counts.map((count, at) => count + (value <= (limits[at] ?? 0) ? 1 : 0));
      one.count += 1;
      one.sum += value;
    },
    lines: () => [
      ...head(name, help, 'histogram'),
      ...values
        .all()
        .flatMap(([labels, { counts, count, sum }]) => [
          ...limits.map((le, at) => sample(`${name}_bucket`, { ...labels, le: String(le) }, counts[at] ?? 0)),
          sample(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
          sample(`${name}_sum`, labels, sum),
          sample(`${name}_count`, labels, count),
        ]),
    ],
  };
}

/** @param read asked at each look */
export const gauge = (name: string, help: string, read: () => number): Metric => ({
  lines: () => [...head(name, help, 'gauge'), sample(name, {}, read())],
});

function bounded<T>(make: () => T) {
  const series = new Map<string, { readonly labels: Labels; readonly value: T }>();
  const at = (labels: Labels): T | undefined => series.get(JSON.stringify(labels))?.value;
  const begin = (labels: Labels): T => {
    const value = make();
    series.set(JSON.stringify(labels), { labels, value });
    return value;
  };
  return {
    of(labels: Labels): T {
      const known = at(labels);
      if (known !== undefined) return known;
      if (series.size < MOST_SERIES) return begin(labels);
      const rest = Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));
      return at(rest) ?? begin(rest);
    },
    all: () => [...series.values()].map(({ labels, value }) => [labels, value] as const),
  };
}

const head = (name: string, help: string, type: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const SIGNS: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string => text.replace(/[\\"\n]/g, (sign) => SIGNS[sign] ?? '');
