import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { addProject, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sharedBrowser } from '../support/browser.ts';

const chromium = findChromium();
let sandbox: Sandbox | undefined;
let browser: Browser | undefined;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  if (chromium === undefined) return;
  sandbox = await startSandbox();
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(sandbox.url);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await sandbox?.stop();
});

/** The queue looks at its clock every ten seconds. */
const NEXT_CHECK = { timeout: 45_000 };

describe('somebody who wants to know before the money runs out', () => {
  it('sees the alert, acknowledges it, sees it recover, and is alerted again', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')!.value;
    await (await connect(page, token)).getByText('Connected').waitFor();
    await closeModal(page);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await addProject(page, 'prod 123');

    await say(page, '/billing watch prod balance 1');
    const form = page.getByRole('dialog');
    await form.getByText('It would not have alerted in the last 90 days.').waitFor();
    const [, left = ''] = /Now: ([\d,]+)\./.exec(await form.innerText()) ?? [];
    const threshold = String(Number(left.replaceAll(',', '')) - 100);
    await form.getByLabel('Below', { exact: true }).fill(threshold);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved:').waitFor();
    await closeModal(page);

    await page.getByRole('tab', { name: 'Switches' }).click();
    await page.getByRole('radio', { name: /^Burning money/ }).check();
    await page.getByRole('button', { name: 'Skip 1 hour' }).click();
    const alerts = page.getByRole('article').filter({ hasText: / left — below / });
    await alerts.first().waitFor(NEXT_CHECK);
    expect(await alerts.first().innerText()).toMatch(/prod · [\d,.]+ left — below [\d,.]+/);

    await alerts.first().getByRole('button', { name: 'Acknowledge' }).click();
    await alerts.first().getByText('Acknowledged by @Olivia Okafor').waitFor();
    await alerts.first().getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' });

    await page.getByRole('radio', { name: /^Money added/ }).check();
    await page.getByRole('button', { name: 'Skip 1 hour' }).click();
    await page.getByRole('region', { name: 'Thread' }).getByText('Recovered').waitFor(NEXT_CHECK);

    await page.getByRole('radio', { name: /^Burning money/ }).check();
    await page.getByRole('button', { name: 'Skip 1 day' }).click();
    await alerts.nth(1).getByRole('button', { name: 'Acknowledge' }).waitFor(NEXT_CHECK);
    expect(await alerts.count()).toBe(2);
    expect(errors).toEqual([]);
  }, 180_000);
});
