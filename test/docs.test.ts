import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createBillingClient } from '../src/billing/client.ts';
import { balanceDocument, consumptionDocument } from '../src/billing/graphql-contract.ts';
import { parseConfig } from '../src/config/config.ts';
import { variables } from '../src/config/variables.ts';
import { InvalidWord } from '../src/domain/failure/index.ts';
import { formatDays } from '../src/domain/time/calendar.ts';
import { createGuardedHttp } from '../src/http/client.ts';
import { createIdentityClient } from '../src/identity/client.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { createManifest, formatManifest, SCOPES } from '../src/slack/install/manifest.ts';
import { ENV_EXAMPLE, ENVIRONMENT_TABLES, formOf, NAMES } from './docs/environment.ts';
import { BLOCK, blocksIn, markdownIn, PAGES, TEXTS } from './docs/pages.ts';
import { AMBIGUOUS_PERIODS, PERIOD_EXAMPLES, PERIOD_TABLES, REFUSED_PERIODS } from './docs/periods.ts';
import { code, fillTables, type Tables, tablesOn } from './docs/tables.ts';
import { DESCRIPTIONS } from './docs/variable-descriptions.ts';
import { outcomeOfCommand } from './domain/language/corpus/what-tally-reads.ts';
import { json, serve } from './http/service.ts';
import { resolvePeriodText } from './support/read-words.ts';

const spansIn = (text: string): readonly string[] =>
  [...text.replace(BLOCK, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

/** How GitHub names the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('the links', () => {
  it.each(TEXTS)('on $page lead to pages and headings that exist', ({ page, text }) => {
    const plain = text.replace(BLOCK, '').replace(/`[^`\n]*`/g, '``');
    const links = plain.matchAll(/(?:\]\(|(?:src|srcset)=")(?!\w+:)([^)#\s"]*)(?:#([^)\s"]+))?[)"]/g);
    const broken = [...links].filter(([, path = '', anchor]) => {
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (anchor === undefined) return !existsSync(target);
      const headings = (PAGES.get(target) ?? '').matchAll(/^#+ (.+)$/gm);
      return ![...headings].some(([, heading = '']) => anchorOf(heading) === anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('lead from the index of docs/ to each of its pages, and to every picture', () => {
    const all = TEXTS.map(({ text }) => text).join('\n');
    const pages = markdownIn('docs').filter((page) => page !== 'docs/README.md');
    expect(pages.filter((page) => !PAGES.get('docs/README.md')?.includes(`](${page.slice(5)}`))).toEqual([]);
    expect(readdirSync('docs/pictures').filter((name) => !all.includes(`pictures/${name}`))).toEqual([]);
  });

  it.each(TEXTS)('written as file names on $page lead to files that exist', ({ text }) => {
    const named = spansIn(text).filter((span) =>
      /^(?:src|test|sandbox|bench|docs)\/[\w./-]+\.\w+$/.test(span),
    );
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

const TABLES: Tables = {
  ...ENVIRONMENT_TABLES,
  ...PERIOD_TABLES,
  scopes: [
    ['scope', 'what for', ''],
    ...SCOPES.map(({ scope, why, optional }) => [code([scope]), why, optional ? 'optional' : '']),
  ],
};

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const resolve = (phrase: string) => resolvePeriodText(phrase, NOW, 'UTC');

describe('what `npm run docs` writes', () => {
  it.each(TEXTS.filter(({ text }) => tablesOn(text).length > 0))(
    'is up to date on $page',
    async ({ page, text }) => {
      await expect(fillTables(text, TABLES)).toMatchFileSnapshot(`../${page}`);
    },
  );

  it('includes every table, each on one page', () => {
    expect(TEXTS.flatMap(({ text }) => tablesOn(text)).sort()).toEqual(Object.keys(TABLES).sort());
  });

  it.each([
    ['.env.example', async () => `${ENV_EXAMPLE}\n`],
    ['manifest.json', async () => formatManifest(createManifest({ url: 'https://tally.example.com' }))],
  ])('is the content of the file %s', async (file, content) => {
    await expect(await content()).toMatchFileSnapshot(`../${file}`);
  });

  it.each(NAMES)(
    'has an example of %s that Tally accepts, and describes the form of a valid value',
    (name) => {
      const { example } = DESCRIPTIONS[name];
      if (!example.includes('…')) expect(variables.shape[name].safeParse(example).error).toBeUndefined();
      expect(formOf(name)).toMatch(/^[A-Z].*\.$|xapp-…$|xoxb-…$/);
    },
  );

  it('has examples that together form a valid configuration', () => {
    const secret = Buffer.from([...Array(32).keys()]).toString('base64');
    const examples = NAMES.filter((name) => !/^SLACK_(CLIENT|STATE)/.test(name)).map((name) => [
      name,
      DESCRIPTIONS[name].example.replaceAll('…', name === 'ENCRYPTION_KEYS' ? secret : 'a'.repeat(20)),
    ]);
    expect(() => parseConfig(Object.fromEntries(examples))).not.toThrow();
  });

  it('gives the same days, buttons and refusals for periods as Tally', () => {
    for (const { phrases, days } of PERIOD_EXAMPLES)
      for (const phrase of phrases) {
        const read = resolve(phrase).days;
        expect(formatDays(read[0] ?? '', read.at(-1) ?? '')).toBe(days);
      }
    for (const { phrase, readings } of AMBIGUOUS_PERIODS)
      expect(() => resolve(phrase)).toThrow(expect.objectContaining({ offered: readings }));
    for (const { phrase } of REFUSED_PERIODS) expect(() => resolve(phrase)).toThrow(InvalidWord);
  });
});

it('the documentation names every metric', async () => {
  const none = { inProgress: () => 0, notReady: async () => [], oldestOverdue: async () => 0 };
  const metrics = createMetrics();
  metrics.measure(none);
  const { body } = await metrics.page();
  const names = [...body.matchAll(/^# TYPE (tally_\w+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  const spans = TEXTS.flatMap(({ text }) => spansIn(text));
  expect(names.filter((name) => !spans.includes(name))).toEqual([]);
});

it.each(TEXTS)('Tally understands each command on $page', ({ text }) => {
  const commands = spansIn(text).flatMap((span) => {
    const [, command, words = ''] = /^(\/spend|\/balance)( [^…<[]*)?$/.exec(span) ?? [];
    return command === undefined ? [] : [{ command: command as '/spend', text: words.trim() }];
  });
  expect(commands.filter((command) => !('runs' in outcomeOfCommand(command)))).toEqual([]);
});

describe('the documentation of the APIs', () => {
  const shown = blocksIn('json').map((block) => ({ block, value: JSON.parse(block) }));
  const having = (part: RegExp) => shown.filter(({ block }) => part.test(block));
  const only = (part: RegExp) => {
    expect(having(part)).toHaveLength(1);
    return having(part)[0]!;
  };
  const subscription = { project: '123', product: 1 } as const;
  const period = {
    from: Date.UTC(2026, 10, 14),
    to: Date.UTC(2026, 10, 16, 23, 59, 59, 999),
    ...{ zone: 'UTC', running: false, days: { first: '2026-11-14', last: '2026-11-16' } },
  };

  /** Starts a service with one answer, and the guarded HTTP that may ask it. */
  async function answering<T>(
    body: string,
    ask: (service: { url: string; http: ReturnType<typeof createGuardedHttp> }) => Promise<T>,
  ) {
    const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
    const service = await serve((_, response) => {
      response.setHeader('x-subject-token', 'a-token');
      json(response, body, 201);
    });
    const answer = await ask({ url: service.url, http });
    await Promise.all([service.close(), http.close()]);
    return { answer, sent: service.requests[0]! };
  }

  const billing = (body: string) =>
    answering(body, async ({ url, http }) => {
      const client = createBillingClient({ http });
      const access = { workspace: 'T1', connection: 'main', baseUrl: url, token: 'any' };
      return body.includes('items')
        ? client.consumption(access, subscription, period)
        : client.balance(access, subscription);
    });

  it('shows a billing schema that Tally’s queries fit', () => {
    const schema = buildSchema(blocksIn('graphql').join('\n'));
    const charges = consumptionDocument({ project: '9'.repeat(32), product: 3 }, period.from, period.to);
    for (const document of [balanceDocument(subscription), charges])
      expect(validate(schema, parse(document))).toEqual([]);
  });

  it('shows the requests that Tally sends to billing, and answers that Tally reads', async () => {
    const balance = await billing(only(/"getSubscriptionBalance"/).block);
    expect(balance.answer).toMatchObject({ balance: { text: expect.anything() }, remarks: [] });
    expect(JSON.parse(balance.sent.body)).toEqual(only(/query.*getSubscriptionBalance/).value);
    const charges = await billing(only(/"reportSubscriptionConsuming"/).block);
    expect(charges.answer).toMatchObject({ charges: [{ day: '2026-11-14' }, {}, {}] });
    expect(JSON.parse(charges.sent.body)).toEqual(only(/query.*reportSubscriptionConsuming/).value);
  });

  it('shows the request that Tally sends for an OS_TOKEN, and an answer that Tally reads', async () => {
    const request = only(/"auth"/).value;
    const { id, secret } = request.auth.identity.application_credential;
    const { answer, sent } = await answering(only(/"token"/).block, ({ url, http }) =>
      createIdentityClient({ http }).issue(
        { authUrl: url, id, secret },
        { workspace: 'T1', connection: '123' },
      ),
    );
    expect(JSON.parse(sent.body)).toEqual(request);
    expect(answer).toMatchObject({ token: 'a-token', expiresAt: Date.UTC(2026, 10, 21, 11, 15, 30) });
    expect(answer).toMatchObject({
      ...{ project: 'prod', user: 'tally', roles: ['reader'], isRestricted: true },
      computeUrl: expect.any(String),
    });
  });
});
