/** Measures a command's CPU work: parsing the text and the answer, resolving the period, opening the token. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Big } from 'big.js';
import { parseConsumption, parseResponse } from '../src/billing/graphql-contract.ts';
import { parseCommandText } from '../src/domain/language/parse-command.ts';
import { LAST_7_DAYS } from '../src/domain/language/periods/period-ast.ts';
import { parseQuestion } from '../src/domain/language/questions/parse-question.ts';
import { sumMoney } from '../src/domain/money/amount.ts';
import type { DayCharges } from '../src/domain/money/charges.ts';
import { forecastFrom, forecastFromAmounts } from '../src/domain/money/forecast.ts';
import { computeUsage } from '../src/domain/money/usage.ts';
import { addDays, daysInRange } from '../src/domain/time/calendar.ts';
import { resolvePeriod } from '../src/domain/time/resolve-period.ts';
import { createSecretMask } from '../src/http/secret-mask.ts';
import { createKeyring } from '../src/vault/keyring.ts';
import { chargesOf } from '../test/support/usage.ts';
import { compare, type Line } from './measure.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T10:15:30.123Z');
const TODAY = Date.parse('2026-11-21');
const TOKEN = 'a-user-access-token-as-long-as-those-of-the-console-are-64-digits';
const LONGEST_PERIOD = 3_660;
const LONGEST_TEXT = 4_000;

export function measureCpuWork(): Line[] {
  return [...periods(), ...longTexts(), ...answers(), ...forecasts(), sealing()];
}

function periods(): Line[] {
  const longest = `123 ${dateBefore(LONGEST_PERIOD)}..${dateBefore(1)}`;
  const texts = [
    ['/spend 123', '123', 7],
    ['/spend 123 last-7-days', '123 last-7-days', 7],
    [`/spend 123, ${LONGEST_PERIOD} days`, longest, LONGEST_PERIOD],
  ] as const;
  return texts.flatMap(([name, text, days]) =>
    ['UTC', 'America/New_York'].map((zone) =>
      compare(
        { name: `text and period: ${name}, ${zone}`, run: () => periodOf(text, zone) },
        { name: `the same days by Date arithmetic in UTC`, run: () => fixedPeriod(days) },
      ),
    ),
  );
}

/** Texts as long as Slack takes, as questions beside the same as commands; most are refused. */
function longTexts(): Line[] {
  const aliases = new Set(['prod', 'staging']);
  const units = ['1 ', 'monday ', '3 october ', 'oct 1-15 ', 'week 45 of ', 'banana ', 'a '];
  return [...units, 'how much did prod spend '].map((unit) => {
    const text = unit.repeat(LONGEST_TEXT / unit.length);
    const read = (parse: (typed: string, names: ReadonlySet<string>) => unknown) => () => {
      try {
        return parse(text, aliases);
      } catch (error) {
        return error;
      }
    };
    return compare(
      { name: `question of ${LONGEST_TEXT} characters: “${unit}”`, run: read(parseQuestion) },
      { name: 'the same as a command', run: read(parseCommandText) },
    );
  });
}

function periodOf(text: string, zone: string) {
  const { phrase } = parseCommandText(text);
  return resolvePeriod(phrase ?? LAST_7_DAYS, NOW, zone);
}

/** A period and the previous one in UTC, without parsing text or zones. */
function fixedPeriod(days: number) {
  return [days, 2 * days].map((back) => {
    const from = TODAY - back * DAY;
    return {
      from: new Date(from).toISOString(),
      to: new Date(from + days * DAY - 1).toISOString(),
      days: Array.from({ length: days }, (_, i) => new Date(from + i * DAY).toISOString().slice(0, 10)),
    };
  });
}

function answers(): Line[] {
  return [7, 365, LONGEST_PERIOD].flatMap((count) => {
    const body = bodyOf(count);
    const charges = chargesIn(body, count);
    const days = Array.from({ length: count }, (_, i) => dateBefore(count - i));
    const baseline = {
      name: `JSON.parse, ${body.length.toLocaleString('en')} bytes`,
      run: () => JSON.parse(body),
    };
    return [
      compare({ name: `billing's answer to days: ${count}`, run: () => chargesIn(body, count) }, baseline),
      compare(
        { name: `the days of items to usage: ${count}`, run: () => computeUsage(charges, { days }) },
        baseline,
      ),
    ];
  });
}

function forecasts(): Line[] {
  return ['2026-11-10', '2026-11-25'].map((today) => {
    const days = daysInRange(forecastFrom(today), addDays(today, -1), 'UTC');
    const amounts = new Map(days.map((day, n) => [day, new Big(30_000 + ((n * 37) % 100) * 50)]));
    return compare(
      { name: `forecast on ${today}`, run: () => forecastFromAmounts(amounts, today, 'UTC') },
      { name: 'the sum of its days', run: () => sumMoney([...amounts.values()]) },
    );
  });
}

function chargesIn(body: string, days: number): readonly DayCharges[] {
  const response = { text: body, mask: createSecretMask([TOKEN]) };
  const { data } = parseResponse(response, parseConsumption(days));
  if (!('value' in data) || data.value === null) throw new Error('The answer has no items.');
  return chargesOf(data.value);
}

function bodyOf(count: number): string {
  const items = Array.from({ length: count }, (_, i) => {
    const cents = String((i * 37) % 100).padStart(2, '0');
    return `{"day":"${dateBefore(count - i)}","totalAmount":${29_000 + i}.${cents},"totalBonuses":0.00}`;
  });
  return `{"data":{"bill":{"reportSubscriptionConsuming":{"items":[${items.join(',')}]}}}}`;
}

function dateBefore(days: number): string {
  return new Date(TODAY - days * DAY).toISOString().slice(0, 10);
}

function sealing(): Line {
  const key = randomBytes(32);
  const keyring = createKeyring([{ id: 'bench', key }]);
  const owner = { workspace: 'T0BENCH', kind: 'billing-token', id: 'main' };
  return compare(
    { name: 'seal and open a token', run: () => keyring.open(keyring.seal(TOKEN, owner), owner) },
    { name: 'AES-256-GCM there and back', run: () => bareGcm(key) },
  );
}

function bareGcm(key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(TOKEN, 'utf8'), cipher.final()]);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
}
