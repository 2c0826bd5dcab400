import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { closeModal, connect, registerAccess, say } from '../../sandbox/page-actions.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sharedBrowser } from '../support/browser.ts';

const chromium = findChromium();
let sandbox: Sandbox | undefined;
let browser: Browser | undefined;
let page: Page;
const troubles: string[] = [];

beforeAll(async () => {
  if (chromium === undefined) return;
  sandbox = await startSandbox();
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(sandbox.url);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await sandbox?.stop();
});

describe('somebody who wants the figures every morning', () => {
  it('schedules a post by the form, skips to the time, and reads it in the channel', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')!.value;
    await (await connect(page, token)).getByText('Connected').waitFor();
    await closeModal(page);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await say(page, '/billing schedule 123 daily 09:00');
    const form = page.getByRole('dialog');
    await form.getByText('Next three posts').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved:').waitFor();
    await closeModal(page);
    await page.getByText('New scheduled post').waitFor();

    await page.getByRole('button', { name: /^Skip to 09:00/ }).click();
    // The announcement names the same time in small letters.
    const post = page.getByRole('article').filter({ hasText: /Every day at 09:00 \(Europe\/London\)/ });
    await post.waitFor({ timeout: 45_000 });
    expect(await post.innerText()).toMatch(/Project 123 · [\d,.]+ spent on \w{3} \d+ \w{3}/);
    expect(await post.innerText()).not.toContain('Late');
  }, 75_000);

  it('is shown a temporary token in a window of their own, and gives it back', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    await registerAccess(page, '123', sandbox.identity.accesses.good);
    await say(page, '/os-token 123');
    const window = page.getByRole('dialog', { name: 'OS_TOKEN' });
    await window.getByRole('button', { name: 'Continue' }).click();
    await window.getByText('export OS_TOKEN=').waitFor();
    await window.getByRole('button', { name: 'Revoke now' }).click();
    await window.getByText('no longer accepted').waitFor();
    expect(troubles).toEqual([]);
  }, 60_000);
});
