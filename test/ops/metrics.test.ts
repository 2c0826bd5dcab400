import { afterEach, expect, it } from 'vitest';
import { createMetrics } from '../../src/ops/metrics.ts';

let metrics: ReturnType<typeof createMetrics> | undefined;
afterEach(() => {
  metrics?.stop();
  metrics = undefined;
});
const started = () => {
  metrics = createMetrics();
  return metrics;
};

it('the metrics count a service’s HTTP statuses by class, such as 2xx, and its failures by name', async () => {
  const { exchange, page } = started();
  for (const [outcome, took] of [
    [200, 40],
    [418, 40],
    ['timed-out', 10_001],
  ] as const)
    exchange({ service: 'billing', outcome, took });
  const { body } = await page();
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="2xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="4xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="timed-out"} 1\n');
  expect(body).toContain('tally_service_request_duration_seconds_bucket{le="0.05",service="billing"} 2\n');
  expect(body).toContain('tally_service_request_duration_seconds_bucket{le="+Inf",service="billing"} 3\n');
});

it('Prometheus gets text that includes the process’s memory and the delay of its event loop', async () => {
  const { page } = started();
  const { body, type } = await page();
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m);
  expect(body).toMatch(/^nodejs_eventloop_lag_max_seconds \d/m);
});

it('every metric whose name ends in “_total” is a counter', async () => {
  const { body } = await started().page();
  const types = [...body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  expect(types.filter(({ name, type }) => name.endsWith('_total') && type !== 'counter')).toEqual([]);
});
