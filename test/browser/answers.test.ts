import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  addProject,
  ask,
  closeModal,
  connect,
  registerAccess,
  saveForm,
  say,
} from '../../sandbox/page-actions.ts';
import { withSandboxPage } from './sandbox-page.ts';

let page: Page;

/** So that a screen of 1440 × 900 shows a whole answer. */
describe('the height of an answer', () => {
  withSandboxPage(
    async (opened) => {
      ({ page } = opened);
      await (await connect(page, opened.token)).getByText('Connected').waitFor();
      await closeModal(page);
      await addProject(page, 'prod 123');
      const form = page.getByRole('dialog');
      for (const words of ['schedule prod daily 09:00', 'watch prod balance 1']) {
        await say(page, `/billing ${words}`);
        await form.getByText(/Next three posts|left · /).waitFor();
        await saveForm(page);
      }
      await registerAccess(page, 'prod', opened.sandbox.identity.accesses.good);
    },
    { viewport: { width: 1440, height: 900 } },
  );

  it.each([
    ['/spend prod', 520],
    ['/spend prod last-20-days', 520],
    ['/spend prod last-7-days including today', 520],
    ['/spend prod mtd', 520],
    ['/spend prod last-month', 520],
    ['/spend prod last-366-days', 520],
    ['/spend prod october vs september', 520],
    ['/spend prod last-20-days vs last-year', 520],
    ['/spend prod yesterday', 240],
    ['/balance prod', 220],
    ['/billing status', 620],
  ] as const)('to %s is at most %i pixels', async (command, most) => {
    const before = await page.getByRole('article').count();
    const answer = await ask(page, command, / · (?:[^·]* · [^·]* spent|[\d,.]+ left)|No problems/);
    await expect.poll(() => page.getByRole('article').count()).toBeGreaterThan(before);
    await answer.getByRole('button').last().waitFor();
    expect((await page.getByRole('article').last().boundingBox())?.height).toBeLessThanOrEqual(most);
  });
});
