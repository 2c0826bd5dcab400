import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import { createLog } from '../../src/ops/log.ts';
import { createWorkLog, type MessageWork, type RequestWork, type Work } from '../../src/ops/work-record.ts';

const request = (given: Partial<RequestWork> = {}): Work => ({
  kind: 'request',
  via: 'command',
  route: '/spend',
  workspace: 'T1',
  outcome: 'ok',
  began: 0,
  ms: 12.345,
  ...given,
});
const post = (given: Partial<MessageWork> = {}): Work => ({
  kind: 'message',
  message: 'post',
  schedule: 'schedul1',
  workspace: 'T1',
  outcome: 'sent',
  began: 0,
  ms: 80,
  late: 1_500,
  tries: 0,
  ...given,
});

function linesOf(works: readonly Work[]) {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  for (const work of works) createWorkLog(log)(work);
  return lines.map((line) => JSON.parse(line));
}
const lineOf = (work: Work) => linesOf([work])[0];

describe('the log line of a request', () => {
  it('says what was asked, how the request ended and how long the answer took', () => {
    const { time, ...line } = lineOf(request());
    expect(line).toEqual({
      level: 'info',
      event: 'request',
      via: 'command',
      route: '/spend',
      workspace: 'T1',
      outcome: 'ok',
      ms: 12.3,
      msg: 'Answered a request',
    });
  });

  it('is a warning or an error only if people in Slack cannot fix the failure', () => {
    const error = new Failure(
      'store-unavailable',
      {},
      { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) },
    );
    const failed = lineOf(request({ outcome: error.kind, error, reference: '4f2a0000' }));
    expect(failed).toMatchObject({
      level: 'warn',
      outcome: 'store-unavailable',
      reference: '4f2a0000',
      msg: 'A request failed',
      err: { kind: 'store-unavailable', cause: { code: 'ECONNRESET' } },
    });
    expect(lineOf(request({ outcome: 'unknown', error: new TypeError('bug') }))).toMatchObject({
      level: 'error',
      err: { name: 'TypeError', stack: expect.stringContaining('work-record.test') },
    });
    expect(lineOf(request({ outcome: 'not-allowed' })).level).toBe('info');
  });
});

describe('the log line of a delivery', () => {
  it('names the schedule, and says how the delivery ended, how late it was and how often it had failed', () => {
    expect(lineOf(post())).toMatchObject({
      level: 'info',
      event: 'delivery',
      message: 'post',
      schedule: 'schedul1',
      workspace: 'T1',
      outcome: 'sent',
      lateMs: 1_500,
      tries: 0,
      ms: 80,
    });
  });

  it('is a warning after a failure, and an error if Tally is at fault', () => {
    const error = new Failure('service-failed', { service: 'billing', status: 503 });
    for (const outcome of ['retrying', 'paused', 'failed'])
      expect(lineOf(post({ outcome, error }))).toMatchObject({ level: 'warn', err: { status: 503 } });
    expect(lineOf(post({ outcome: 'retrying', error: new TypeError('bug') })).level).toBe('error');
    for (const outcome of ['found', 'skipped', 'waiting', 'refused', 'changed', 'overtaken'])
      expect(lineOf(post({ outcome })).level).toBe('info');
  });

  it('is written for a run of deliveries only if the run failed', () => {
    const run = (outcome: string, error?: Error): Work => ({
      kind: 'run',
      workspace: 'T1',
      began: 0,
      ms: 1,
      outcome,
      error,
    });
    expect(linesOf([run('ok'), run('overtaken')])).toEqual([]);
    expect(lineOf(run('store-unavailable', new Failure('store-unavailable')))).toMatchObject({
      level: 'warn',
      event: 'run',
    });
    expect(lineOf(run('unknown', new TypeError('bug'))).level).toBe('error');
  });
});
