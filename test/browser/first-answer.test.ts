import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from '../support/browser.ts';

let sandbox: Sandbox;
let page: Page;
let token: string;

describe.each(['http', 'socket'] as const)('the first steps in the sandbox, %s mode', (mode) => {
  withSandboxPage(
    (opened) => {
      ({ sandbox, page, token } = opened);
    },
    { mode, viewport: { width: 1440, height: 900 } },
  );

  it('connects billing, then shows the balance and the spend', async () => {
    const form = await connect(page, token);
    await form.getByText(/Connected ✓ Project 123 has [\d,.]+ left, about 41 days\./).waitFor();
    await closeModal(page);

    const balance = await ask(page, '/balance 123', /Project 123 · [\d,.]+ left/);
    expect(await balance.innerText()).toMatch(
      /About 41 days, until around .*\s+at [\d,.]+ a day \(6 of the last 7 days reported\)/,
    );
    expect((await balance.boundingBox())?.height).toBeLessThanOrEqual(220);
    await page.getByText('Only visible to you').last().waitFor();

    const spend = await ask(page, '/spend 123 last-7-days', /Project 123 · [\d,.]+ spent/);
    expect(await spend.innerText()).toMatch(/ UTC · 6 of 7 days reported, no data for /);
    expect(await spend.getByRole('row').count()).toBe(0);
    await spend.getByText('Each day (7)').click();
    expect(await spend.getByRole('row').count()).toBe(8);
    expect(await page.getByRole('log').innerText()).not.toContain(token);
  }, 60_000);

  it('runs the suggestion for a mistyped word, includes today, and shares an answer', async () => {
    const refused = await ask(page, '/spend 123 yesterdy', '“yesterdy”');
    await refused.getByRole('button', { name: '/spend 123 yesterday' }).click();
    await page
      .getByText(/Project 123 · [\d,.]+ spent/)
      .last()
      .waitFor();

    const week = await ask(page, '/spend 456', 'Project 456');
    await week.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Include today' }).click();
    await page
      .getByText(/of 6 days reported.*today so far/)
      .last()
      .waitFor();
    await page.getByRole('article').last().getByRole('button', { name: 'Share' }).click();
    await page
      .getByText(/shared by/)
      .last()
      .waitFor();
  }, 60_000);

  it('says when billing is down, and answers after “Try again”', async () => {
    sandbox.billing.setMode('500');
    const reply = await ask(page, '/balance 456', 'returned an error (HTTP 500)');
    sandbox.billing.setMode('healthy');
    await reply.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(/Project 456 · [\d,.]+ left/)
      .last()
      .waitFor();
    await say(page, '/billing disconnect');
    await page.getByText('Disconnect Tally from the billing service?').last().waitFor();
  }, 60_000);
});
