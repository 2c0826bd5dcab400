import { afterEach, expect, it } from 'vitest';
import { createMetrics, MAX_SERIES, type Metrics } from '../../src/ops/metrics.ts';
import type { Work } from '../../src/ops/work-record.ts';

let metrics: Metrics | undefined;
afterEach(() => {
  metrics?.stop();
  metrics = undefined;
});
const started = () => {
  metrics = createMetrics();
  return metrics;
};

it('escapes label values', async () => {
  const { slackCall, page } = started();
  slackCall({ method: 'chat.postMessage', outcome: 'a"b\\c\nd', took: 1 });
  expect((await page()).body).toContain(String.raw`outcome="a\"b\\c\nd"} 1`);
});

it('groups labels when there are too many, without losing counts', async () => {
  const { slackCall, page } = started();
  for (let at = 0; at < 1_000; at += 1) slackCall({ method: 'users.info', outcome: `code_${at}`, took: 1 });
  const samples = (await page()).body
    .split('\n')
    .filter((line) => line.startsWith('tally_slack_calls_total{') && !line.endsWith(' 0'));
  expect(samples).toHaveLength(MAX_SERIES + 1);
  expect(samples).toContain(`tally_slack_calls_total{method="other",outcome="other"} ${1_000 - MAX_SERIES}`);
});

it('groups a service’s statuses by class, and names its failures', async () => {
  const { exchange, page } = started();
  exchange({
    service: 'billing',
    tries: 1,
    outcome: 200,
    took: 40,
  });
  exchange({
    service: 'billing',
    tries: 1,
    outcome: 418,
    took: 40,
  });
  exchange({
    service: 'billing',
    tries: 1,
    outcome: 'timed-out',
    took: 10_001,
  });
  const { body } = await page();
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="2xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="4xx"} 1\n');
  expect(body).toContain('tally_service_requests_total{service="billing",outcome="timed-out"} 1\n');
  expect(body).toContain('tally_service_request_duration_seconds_bucket{le="0.05",service="billing"} 2\n');
  expect(body).toContain('tally_service_request_duration_seconds_bucket{le="+Inf",service="billing"} 3\n');
});

it('answers in the text format, with the process’s memory and event loop', async () => {
  const { page } = started();
  const { body, type } = await page();
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m);
  expect(body).toMatch(/^nodejs_eventloop_lag_max_seconds \d/m);
});

const POSTED: Work = {
  ...{ kind: 'message', message: 'post', workspace: 'T1', outcome: 'sent', began: 0, ms: 1 },
};

it('keeps the metrics of two bots in one process apart', async () => {
  const one = started();
  const two = createMetrics();
  one.finished(POSTED);
  const counted = 'tally_messages_total{kind="post",outcome="sent"} 1\n';
  expect((await one.page()).body).toContain(counted);
  expect((await two.page()).body).not.toContain(counted);
  two.stop();
});

it('computes its page once a second at most', async () => {
  const { finished, page } = started();
  const first = await page();
  finished(POSTED);
  expect(await page()).toEqual(first);
  await expect.poll(async () => (await page()).body).toContain('kind="post",outcome="sent"} 1');
});

it('calls nothing a total that does not only grow, so that “promtool check metrics” finds nothing', async () => {
  const { body } = await started().page();
  const types = [...body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  expect(types.filter(({ name, type }) => name.endsWith('_total') && type !== 'counter')).toEqual([]);
});
