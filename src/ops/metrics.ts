import { monitorEventLoopDelay } from 'node:perf_hooks';
import { counter, gauge, histogram, TEXT_FORMAT } from './exposition.ts';

/** What an operator watches. Names of commands, methods and outcomes are ours or Slack's; nobody's data is a label. */
export interface Metrics {
  /** @param outcome `ok`, a failure's kind, or `unknown` */
  command(name: string, outcome: string): void;
  /** A question to a service from outside. @param outcome its status or a failure's kind; `took` in ms */
  exchange(exchange: {
    readonly service: string;
    readonly outcome: number | string;
    readonly took: number;
  }): void;
  /** @param outcome how a due date ended: `posted`, `posted-late`, `skipped`, `failed` */
  post(outcome: string): void;
  /** @param outcome `ok`, or Slack's code */
  slackCall(call: { readonly method: string; readonly outcome: string }): void;
  /** What was refused because it came too often. */
  throttled(refusal: { readonly what: string; readonly whose: string }): void;
  /** What `GET /metrics` answers. */
  page(): { readonly status: 200; readonly body: string; readonly type: string };
  stop(): void;
}

/** In seconds: a warm answer takes tens of milliseconds, and the deadline of a question is ten seconds. */
const LATENCIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Between two looks at the event loop, in ms. */
const RESOLUTION = 20;

/** @param inProgress questions to billing and identity that wait or are under way */
export function createMetrics(inProgress: () => number = () => 0): Metrics {
  const commands = counter('tally_commands_total', 'Commands answered, by outcome.');
  const requests = counter('tally_service_requests_total', 'Questions to billing and identity, by outcome.');
  const latencies = histogram(
    'tally_service_request_seconds',
    'How long questions to billing and identity took, retries included.',
    LATENCIES,
  );
  const posts = counter('tally_scheduled_posts_total', 'Due dates of schedules, by how they ended.');
  const slackCalls = counter('tally_slack_calls_total', 'Calls to Slack, by method and outcome.');
  const throttled = counter('tally_throttled_total', 'Requests refused because they came too often.');
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  loop.enable();
  const all = [
    ...[commands, requests, latencies, posts, slackCalls, throttled],
    gauge(
      'tally_service_requests_in_progress',
      'Questions to billing and identity that wait for their turn or are under way.',
      inProgress,
    ),
    gauge(
      'tally_event_loop_lag_seconds',
      'The longest that the event loop was late since the last look.',
      () => {
        const longest = Math.max(0, loop.max / 1e9 - RESOLUTION / 1e3);
        loop.reset();
        return longest;
      },
    ),
    gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    gauge('nodejs_heap_size_used_bytes', 'Memory that objects take.', () => process.memoryUsage().heapUsed),
  ];
  return {
    command: (command, outcome) => commands.add({ command, outcome }),
    exchange({ service, outcome, took }) {
      // A service may send any status: its class is enough, and the others are failures with names.
      const shown = typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome;
      requests.add({ service, outcome: shown });
      latencies.observe(took / 1e3, { service });
    },
    post: (outcome) => posts.add({ outcome }),
    slackCall: ({ method, outcome }) => slackCalls.add({ method, outcome }),
    throttled: ({ what, whose }) => throttled.add({ what, whose }),
    page: () => ({
      status: 200,
      body: `${all.flatMap((metric) => metric.lines()).join('\n')}\n`,
      type: TEXT_FORMAT,
    }),
    stop: () => loop.disable(),
  };
}
