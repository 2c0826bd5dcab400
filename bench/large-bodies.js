/** A billing service that sends an answer by the project's ID, in a thread of its own: `tsx` does not reach threads. */
import { createServer } from 'node:http';
import { isMainThread, parentPort } from 'node:worker_threads';

const MILLION = 1_000_000;
const day = (n) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);
const list = (count, item) => Array.from({ length: count }, (_, n) => item(n)).join(',');
const report = (items, more = '') =>
  `{"data":{"bill":{"reportSubscriptionConsuming":{"items":[${items}]}}}${more}}`;
const charge = (when, digits = '30535.61') =>
  `{"day":"${when}","totalAmount":${digits},"totalBonuses":${digits}}`;
/** The longest that are read: of some one end, of others both. */
const longDigits = (n) => `${n % 3 ? '9'.repeat(40) : 0}.${'9'.repeat(n % 3 === 1 ? 1 : 60)}`;
const timestamp = (n) => `${day(n)}T13:00:00+02:00`;
/** As many days as are read of ten years, and as many items. */
const [DAYS, ITEMS] = [4_660, 30_280];

/** What each project is sent, for how many days it is asked about, and whether a service may mean it. */
export const ANSWERS = {
  '90 days': {
    project: 90,
    days: 90,
    isHonest: true,
    body: () => report(list(90, (n) => charge(day(n + 1)))),
  },
  '3,660 days': {
    project: 91,
    days: 3_660,
    isHonest: true,
    body: () => report(list(3_660, (n) => charge(day(n + 1)))),
  },
  'a million {}': { project: 10, days: 90, body: () => report(list(MILLION, () => '{}')) },
  'five million {}, 15 MB': { project: 11, days: 90, body: () => report(list(5 * MILLION, () => '{}')) },
  'different days, 4 MB': {
    project: 12,
    days: 3_660,
    body: () => report(list(50_000, (n) => charge(day(n)))),
  },
  'one day repeated, 4 MB': { project: 13, days: 90, body: () => report(list(50_000, () => charge(day(1)))) },
  'errors, 4 MB': {
    project: 14,
    days: 90,
    body: () => `{"data":null,"errors":[${list(100_000, () => '{"message":"no"}')}]}`,
  },
  'a long error': {
    project: 15,
    days: 90,
    body: () => `{"errors":[{"message":"${'no '.repeat(MILLION)}"}]}`,
  },
  'escapes, 4 MB': {
    project: 16,
    days: 90,
    body: () => `{"errors":[{"message":"${'\\"'.repeat(1.9 * MILLION)}"}]}`,
  },
  'extensions, 4 MB': {
    project: 17,
    days: 7,
    body: () => report(charge(day(1)), `,"extensions":{"tracing":[${list(400_000, (n) => n)}]}`),
  },
  'many names': {
    project: 18,
    days: 7,
    body: () => report(charge(day(1)), `,"extensions":{${list(200_000, (n) => `"name${n}":0`)}}`),
  },
  'one name repeated': { project: 19, days: 7, body: () => `{${list(400_000, () => '"data":1')}}` },
  'deep lists': { project: 20, days: 7, body: () => '['.repeat(4 * MILLION) },
  'a huge number': { project: 21, days: 7, body: () => report(charge(day(1), '9'.repeat(2 * MILLION))) },
  'spaces, 4 MB': { project: 22, days: 7, body: () => report(charge(day(1)), ' '.repeat(4 * MILLION)) },
  'unicode escapes, 4 MB': {
    project: 23,
    days: 7,
    body: () => `{"errors":[{"message":"${'\\u00e9'.repeat(0.6 * MILLION)}"}]}`,
  },
  'eight items a day, 3,660 days': {
    project: 24,
    days: 3_660,
    body: () => report(list(8 * 3_660, (n) => charge(day(1 + (n >> 3))))),
  },
  'as many {} as are read': { project: 25, days: 3_660, body: () => report(list(DAYS, () => '{}')) },
  'as many timestamps': {
    project: 26,
    days: 3_660,
    body: () => report(list(DAYS, (n) => charge(timestamp(n)))),
  },
  'different timestamps, 30,280': {
    project: 27,
    days: 3_660,
    body: () => report(list(ITEMS, (n) => charge(timestamp(n % DAYS)))),
  },
  'as many days of 100 digits': {
    project: 28,
    days: 3_660,
    body: () => report(list(DAYS, (n) => charge(day(n), longDigits(n)))),
  },
  'one day as often, 100 digits': {
    project: 29,
    days: 3_660,
    body: () => report(list(15_000, (n) => charge(day(1), longDigits(n)))),
  },
  'as many days of too many digits': {
    project: 30,
    days: 3_660,
    body: () => report(list(DAYS, (n) => charge(day(n), '9'.repeat(300)))),
  },
};

if (!isMainThread) {
  const bodies = new Map(
    Object.values(ANSWERS).map(({ project, body }) => [String(project), Buffer.from(body())]),
  );
  const server = createServer(async (request, response) => {
    let query = '';
    for await (const chunk of request) query += chunk;
    const [, id = ''] = /externalSubscriptionId: (\d\d)/.exec(query) ?? [];
    // Without a length, so that it is found out while it is read.
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.on('error', () => {});
    response.end(bodies.get(id));
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address().port));
}
