import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { addProject, ask, closeModal, connect } from '../../sandbox/page-actions.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sharedBrowser } from '../support/browser.ts';

const chromium = findChromium();
let sandbox: Sandbox | undefined;
let browser: Browser | undefined;
let page: Page;

/** The answer fits one screen with its headline. */
describe('at 1440 × 900', () => {
  beforeAll(async () => {
    if (chromium === undefined) return;
    sandbox = await startSandbox({ mode: 'http' });
    browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(15_000);
    await page.goto(sandbox.url);
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')!.value;
    const form = await connect(page, token);
    await form.getByText(/Project 123 has/).waitFor();
    await closeModal(page);
    await addProject(page, 'prod 123');
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await sandbox?.stop();
  });

  it.each([
    ['/spend prod', 520],
    ['/spend prod last-20-days', 520],
    ['/spend prod last-7-days including today', 520],
    ['/spend prod mtd', 520],
    ['/spend prod last-month', 520],
    ['/spend prod last-90-days', 520],
    ['/spend prod last-366-days', 520],
    ['/spend prod yesterday', 240],
    ['/balance prod', 220],
  ] as const)('%s is at most %i px high', async (command, most) => {
    if (sandbox === undefined || browser === undefined) return;
    const before = await page.getByRole('article').count();
    const answer = await ask(page, command, / · (?:fetched|[\d,.]+ left)/);
    await expect.poll(() => page.getByRole('article').count()).toBeGreaterThan(before);
    await answer.getByRole('button', { name: 'More actions' }).waitFor();
    expect((await page.getByRole('article').last().boundingBox())?.height).toBeLessThanOrEqual(most);
  });
});
