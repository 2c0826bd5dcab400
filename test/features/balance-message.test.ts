import { expect, it } from 'vitest';
import { parseAmount } from '../../src/domain/money/amount.ts';
import { balanceAnswer } from '../../src/features/balance/index.ts';
import { renderAnswer } from '../../src/slack/reply/render-answer.ts';
import { answerView } from '../support/answer-view.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

it('shows why there is no runway as text, whatever signs are in it', () => {
  const figures = {
    target: {
      ...{ project: '123', product: 1 as const, label: 'prod', word: 'prod', alias: 'prod' },
      ...{ isOwnProduct: true, currency: '', connection: undefined },
    },
    connection: 'main',
    balance: parseAmount({ text: '5' }),
    bonuses: parseAmount({ text: '0' }),
    runway: 'The billing service at <!channel> & co. couldn’t be reached.',
    remarks: [],
  };
  const view = answerView(figures, NOW);
  const { blocks } = renderAnswer(view, balanceAnswer(view));
  expect(JSON.stringify(blocks)).toContain(
    'Runway unknown: The billing service at &lt;!channel&gt; &amp; co.',
  );
  expect(JSON.stringify(blocks)).not.toContain('<!channel>');
});
