import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask, closeModal, connect } from '../../sandbox/page-actions.ts';
import { withSandboxPage } from '../support/browser.ts';

let page: Page;

describe('the follow-ups among the things to try', () => {
  withSandboxPage(
    async (opened) => {
      ({ page } = opened);
      const form = await connect(page, opened.token);
      await form.getByText(/Project 123 · [\d,.]+ left/).waitFor();
      await closeModal(page);
    },
    { viewport: { width: 1440, height: 900 } },
  );

  it('go into the thread of the newest answer, and are answered there', async () => {
    await ask(page, '@Tally spend 123 last month', /Project 123 · [\d,.]+ spent/);
    const thread = page.getByRole('region', { name: 'Thread' });
    await thread.getByText(/Project 123 · [\d,.]+ spent/).waitFor();
    const tries = page.getByRole('region', { name: 'Things to try' });
    for (const [text, answer] of [
      ['@Tally and 456?', /Project 456 · [\d,.]+ spent/],
      ['@Tally how long will it last?', /Project 456 · [\d,.]+ left/],
    ] as const) {
      await tries.getByRole('button', { name: text }).click();
      const composer = page.getByRole('textbox', { name: 'Message' });
      expect(await composer.inputValue()).toBe(text);
      await page.getByText('Replying in a thread').waitFor();
      await composer.press('Enter');
      await thread.getByText(answer).waitFor();
    }
    expect(await thread.count()).toBe(1);
  }, 60_000);
});
