import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addProject, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import { withSandboxPage } from '../support/browser.ts';

let page: Page;
let token: string;

withSandboxPage((opened) => {
  ({ page, token } = opened);
});

/** The queue checks the time every ten seconds. */
const NEXT_CHECK = { timeout: 45_000 };

describe('a watch of the balance', () => {
  it('alerts, is acknowledged, recovers, and alerts again', async () => {
    await (await connect(page, token)).getByText('Connected').waitFor();
    await closeModal(page);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await addProject(page, 'prod 123');

    await say(page, '/billing watch prod balance 1');
    const form = page.getByRole('dialog');
    await form.getByText('It wouldn’t have alerted in the last 90 days.').waitFor();
    const [, left = ''] = /Now: ([\d,]+)\./.exec(await form.innerText()) ?? [];
    const threshold = String(Number(left.replaceAll(',', '')) - 100);
    await form.getByLabel('Below', { exact: true }).fill(threshold);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved:').waitFor();
    await closeModal(page);

    await page.getByRole('tab', { name: 'Switches' }).click();
    await page.getByRole('radio', { name: /^Burning money/ }).check();
    await page.getByRole('button', { name: 'Skip 1 hour' }).click();
    const alerts = page.getByRole('article').filter({ hasText: / left, below / });
    await alerts.first().waitFor(NEXT_CHECK);
    expect(await alerts.first().innerText()).toMatch(/prod has [\d,.]+ left, below [\d,.]+/);

    await alerts.first().getByRole('button', { name: 'Acknowledge' }).click();
    await alerts.first().getByText('Acknowledged by @Olivia Okafor').waitFor();
    await alerts.first().getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' });

    await page.getByRole('radio', { name: /^Money added/ }).check();
    await page.getByRole('button', { name: 'Skip 1 hour' }).click();
    await page.getByRole('region', { name: 'Thread' }).getByText('✓ prod recovered').waitFor(NEXT_CHECK);

    await page.getByRole('radio', { name: /^Burning money/ }).check();
    await page.getByRole('button', { name: 'Skip 1 day' }).click();
    await alerts.nth(1).getByRole('button', { name: 'Acknowledge' }).waitFor(NEXT_CHECK);
    expect(await alerts.count()).toBe(2);
  }, 180_000);
});
