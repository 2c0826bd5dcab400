import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsOfBlocks } from '../../sandbox/slack/blocks.ts';
import { parseAmount, type WireScalar } from '../../src/domain/money/amount.ts';
import { computeRunway } from '../../src/domain/money/balance-and-runway.ts';
import type { WireCharge } from '../../src/domain/money/charges.ts';
import { compareUsage } from '../../src/domain/money/comparison.ts';
import { dayAt } from '../../src/domain/time/calendar.ts';
import { balanceAnswer } from '../../src/features/balance/index.ts';
import { spendAnswer } from '../../src/features/spend/index.ts';
import { whyAnswer } from '../../src/features/spend/why-answer.ts';
import type { Message } from '../../src/slack/block-kit/blocks.ts';
import { withoutRichBlocks } from '../../src/slack/reply/message-calls.ts';
import { renderAnswer } from '../../src/slack/reply/render-answer.ts';
import type { ResolvedProject } from '../../src/workspace/projects/resolve-project.ts';
import { resolvePeriodText } from '../support/read-words.ts';
import { runs } from '../support/test-run.ts';
import { answerView, usageOfItems } from '../support/usage.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

const day = fc
  .integer({ min: -4000, max: 5 })
  .map((n) => new Date(NOW + n * 86_400_000).toISOString().slice(0, 10));
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constant('<!channel>'),
  fc.constant('_*~`'.repeat(30)),
);
const digits = fc.bigInt({ min: -(10n ** 99n), max: 10n ** 99n }).map(String);
const scalar: fc.Arbitrary<WireScalar> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(digits, fc.double({ noNaN: true }).map(String)).map((value) => ({ text: value })),
  },
  { weight: 1, arbitrary: text.map((value) => ({ text: value })) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constant({ missing: true as const }),
      text.map((odd) => ({ odd })),
    ),
  },
);
const item: fc.Arbitrary<WireCharge> = fc.record({
  day: fc.oneof(
    { weight: 5, arbitrary: day.map((value) => ({ text: value })) },
    { weight: 1, arbitrary: scalar },
  ),
  totalAmount: scalar,
  totalBonuses: scalar,
});
const items = fc.oneof(fc.array(item, { maxLength: 12 }), fc.array(item, { minLength: 90, maxLength: 300 }));
const phrase = fc.constantFrom(
  'last-7-days',
  'mtd',
  'today',
  'last-3-months',
  '2017-01-01..2026-11-21',
  '99 days',
  'ytd',
);
const project = fc.constantFrom('123', '9'.repeat(32));
const locale = fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'hi-IN', 'ar-EG', 'nonsense locale');
const remarks = fc.array(
  fc.record({ about: fc.constant('the balance'), messages: fc.array(text, { maxLength: 5 }) }),
  { maxLength: 3 },
);

const target = (project: string, product: 1 | 3): ResolvedProject => ({
  project,
  product,
  label: `Project ${project}`,
  word: project,
  alias: undefined,
  isOwnProduct: false,
  currency: 'EUR',
  connection: undefined,
});

/** What Slack would reject in the message and in its version without charts. */
function problems(message: Message): string[] {
  return [message, withoutRichBlocks(message)].flatMap((each) =>
    each ? problemsOfBlocks(each.blocks, 'message') : [],
  );
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

describe('any response from billing', () => {
  it('becomes an answer to /spend that Slack accepts and that notifies nobody', () => {
    fc.assert(
      fc.property(
        items,
        items,
        phrase,
        project,
        locale,
        remarks,
        (sent, sentBefore, words, id, tongue, said) => {
          const period = resolvePeriodText(words, NOW, 'UTC');
          const usage = usageOfItems(sent, period);
          const window = period.comparison;
          const before = window && usageOfItems(sentBefore, { days: window.days, zone: 'UTC' });
          const change =
            window &&
            before &&
            compareUsage(usage, before, { current: window.currentDays, before: window.days });
          const figures = {
            target: target(id, 1),
            usage,
            change,
            before,
            forecast: undefined,
            remarks: said,
          };
          const view = answerView({ ...figures, connection: 'main' }, NOW, {
            locale: tongue,
            user: { canManage: true, zone: 'UTC' },
          });
          const asked = { ...view, period, shape: {} };
          const message = renderAnswer(view, spendAnswer(asked));
          expect(problems(message)).toEqual([]);
          const list = { ...asked, projects: { ...view.projects, isList: true } };
          for (const answer of [whyAnswer(asked), whyAnswer(list), spendAnswer(list)])
            expect(problems(renderAnswer(view, answer))).toEqual([]);
          const marked = message.blocks.flatMap((block) =>
            block.type === 'section' || block.type === 'context'
              ? strings(block).filter((each) => each.includes('<!'))
              : [],
          );
          expect(marked.filter((each) => !each.includes('<!date^'))).toEqual([]);
        },
      ),
      { numRuns: runs(120), endOnFailure: true },
    );
  });

  it('becomes an answer to /balance that Slack accepts', () => {
    fc.assert(
      fc.property(
        scalar,
        scalar,
        items,
        project,
        locale,
        remarks,
        (balance, bonuses, sent, id, tongue, said) => {
          const has = { balance: parseAmount(balance), bonuses: parseAmount(bonuses) };
          const week = usageOfItems(sent, resolvePeriodText('', NOW, 'UTC'));
          const runway = computeRunway(has, week, dayAt(NOW, 'UTC'));
          const figures = { target: target(id, 3), connection: 'main', ...has, runway, remarks: said };
          const sharedBy = { how: 'shared', person: 'U1' } as const;
          const user = { canManage: true, zone: 'UTC' };
          const view = answerView(figures, NOW, { locale: tongue, user, sharedBy });
          const message = renderAnswer(view, balanceAnswer(view));
          expect(problems(message)).toEqual([]);
        },
      ),
    );
  });
});
