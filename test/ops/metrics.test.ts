import { afterEach, expect, it } from 'vitest';
import { counter, gauge, histogram } from '../../src/ops/exposition.ts';
import { createMetrics, type Metrics } from '../../src/ops/metrics.ts';

let metrics: Metrics | undefined;
afterEach(() => {
  metrics?.stop();
  metrics = undefined;
});
const started = () => {
  metrics = createMetrics();
  return metrics;
};

it('counts by labels, and says what it counts', () => {
  const cups = counter('cups_total', 'Cups drunk.');
  cups.add({ of: 'tea' });
  cups.add({ of: 'tea' });
  cups.add({ of: 'coffee' });
  expect(cups.lines()).toEqual([
    '# HELP cups_total Cups drunk.',
    '# TYPE cups_total counter',
    'cups_total{of="tea"} 2',
    'cups_total{of="coffee"} 1',
  ]);
});

it('lets no value of a label end the line or the label', () => {
  const odd = counter('odd_total', 'Odd ones.');
  odd.add({ of: 'a"b\\c\nd' });
  expect(odd.lines().at(-1)).toBe(String.raw`odd_total{of="a\"b\\c\nd"} 1`);
});

it('counts together what would be too many to tell apart, and loses none', () => {
  const many = counter('many_total', 'Many.');
  for (let at = 0; at < 1_000; at += 1) many.add({ of: `kind ${at}` });
  const samples = many.lines().slice(2);
  expect(samples).toHaveLength(201);
  expect(samples.at(-1)).toBe('many_total{of="other"} 800');
});

it('puts a value into every bucket that it fits into', () => {
  const waits = histogram('wait_seconds', 'Waiting.', [0.1, 1]);
  for (const wait of [0.05, 0.1, 0.5, 7]) waits.observe(wait, { at: 'door' });
  expect(waits.lines().slice(2)).toEqual([
    'wait_seconds_bucket{at="door",le="0.1"} 2',
    'wait_seconds_bucket{at="door",le="1"} 3',
    'wait_seconds_bucket{at="door",le="+Inf"} 4',
    'wait_seconds_sum{at="door"} 7.65',
    'wait_seconds_count{at="door"} 4',
  ]);
});

it('reads a gauge at each look', () => {
  let level = 1;
  const tank = gauge('tank_litres', 'Level.', () => level);
  level = 2;
  expect(tank.lines().at(-1)).toBe('tank_litres 2');
});

it('tells a service’s statuses by their class, and its failures by name', () => {
  const { exchange, page } = started();
  exchange({ service: 'billing', outcome: 200, took: 40 });
  exchange({ service: 'billing', outcome: 418, took: 40 });
  exchange({ service: 'billing', outcome: 'timed-out', took: 10_001 });
  const { body } = page();
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="2xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="4xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="timed-out"} 1\n');
  expect(body).toContain('tally_service_request_seconds_bucket{service="billing",le="0.05"} 2\n');
  expect(body).toContain('tally_service_request_seconds_bucket{service="billing",le="+Inf"} 3\n');
});

it('gives lines of the text format alone, each ended', () => {
  const { page } = started();
  const { body, type } = page();
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body.endsWith('\n')).toBe(true);
  for (const line of body.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? \d+(\.\d+)?(e[+-]\d+)?)$/);
  expect(body).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m);
});
