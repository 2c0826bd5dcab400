import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addProject, closeModal, connect, saveForm, say } from '../../sandbox/page-actions.ts';
import { withSandboxPage } from './sandbox-page.ts';

let page: Page;

/** `[{"day":"2026-11-20",…}]`: 10 on each of the last days, today included: from 09:00 on, the next post is tomorrow's. */
const lastDays = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      day: new Date(Date.now() - at * 86_400_000).toISOString().slice(0, 10),
      totalAmount: 10,
      totalBonuses: 0,
    })),
  );

/** So that a morning's posts can be read without scrolling. */
describe('the height of a post', () => {
  withSandboxPage(
    async (opened) => {
      ({ page } = opened);
      const { billing } = opened.sandbox;
      await (await connect(page, opened.token)).getByText('Connected').waitFor();
      await closeModal(page);
      await page.getByRole('button', { name: 'cloud-costs' }).click();
      for (const project of ['prod 123', 'young 456', 'shop 9001']) await addProject(page, project);
      billing.setItems('456', lastDays(4));
      billing.setItems('9001', lastDays(20));
      billing.setBalance('9001', '{"balance":2000,"bonuses":0}');
      const form = page.getByRole('dialog');
      for (const words of [
        'prod daily',
        'young daily',
        'prod,young,shop daily',
        'prod last-week daily',
        'prod mtd daily',
        'shop balance daily',
      ]) {
        await say(page, `/billing schedule ${words} 09:00`);
        await form.getByText('Next three posts').waitFor();
        await saveForm(page);
      }
      await page.getByRole('button', { name: 'Skip to 09:00', exact: true }).click();
      await posts().nth(5).waitFor({ timeout: 60_000 });
    },
    { viewport: { width: 1440, height: 900 } },
  );

  const posts = (): Locator =>
    page.getByRole('article').filter({ hasText: /Every day at 09:00 .* set up by/ });

  it.each([
    ['about a day, with a chart,', 420, /prod · \w{3} \d+ \w{3} · /],
    ['about a day, without a chart,', 200, /young · \w{3} \d+ \w{3} · /],
    ['about several projects', 420, /projects · \w{3} \d+ \w{3} · /],
    ['about last week', 420, /prod · \d+–\d+ \w{3} · /],
    ['about a balance', 420, /shop · [\d,.]+ left/],
  ] as const)('%s is at most %i pixels', async (_, most, title) => {
    const post = posts().filter({ hasText: title }).first();
    expect((await post.boundingBox())?.height).toBeLessThanOrEqual(most);
  });
});
