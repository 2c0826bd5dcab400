/** `npm run pictures`: takes the pictures of the README and the docs. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { findChromium, openBrowser } from './browser.ts';
import { ROOT } from './build.ts';
import { addProject, ask, closeModal, connect, saveForm, say, setCurrency } from './page-actions.ts';
import { takeStory } from './pictures/story.ts';
import { type Sandbox, startSandbox } from './start.ts';

const FOLDER = join(ROOT, 'docs', 'pictures');
const WINDOW = { width: 1280, height: 1400 };

/** Takes `name.png` and `name-dark.png`, cropped to `what`. */
async function take(what: Locator, name: string): Promise<void> {
  const page = what.page();
  await page.mouse.move(0, 0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const file = colorScheme === 'dark' ? `${name}-dark.png` : `${name}.png`;
    await what.screenshot({ path: join(FOLDER, file), animations: 'disabled' });
  }
}

async function working(page: Page, { url, billing }: Sandbox): Promise<void> {
  await page.setViewportSize(WINDOW);
  await page.goto(url);
  const form = page.getByRole('dialog');
  await say(page, '/billing connect');
  await form.getByLabel('User access token').waitFor();
  await take(form, 'connect');
  await closeModal(page);
  const token = billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
  await (await connect(page, token)).getByText('Connected').waitFor();
  await closeModal(page);
  await setCurrency(page, 'EUR');

  await page.getByRole('button', { name: 'cloud-costs' }).click();
  for (const project of ['prod 123', 'archive 789 storage', 'web-shop 456']) await addProject(page, project);
  await take(await ask(page, '/spend prod last-7-days', 'spent'), 'spend');
  await take(await ask(page, '/balance prod', 'left'), 'balance');

  await scheduling(page, form);
  await watching(page, form);
  await page.getByRole('button', { name: 'App Home' }).click();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/archive +[\d,]+\.\d\d/).waitFor();
  await take(page.locator('.home > .blocks'), 'home');
}

/** Saves the form, because otherwise Home asks for a schedule. */
async function scheduling(page: Page, form: Locator): Promise<void> {
  await say(page, '/billing schedule prod daily 09:00');
  await form.getByText('Next three posts').waitFor();
  await take(form, 'schedule-form');
  await saveForm(page);
}

async function watching(page: Page, form: Locator): Promise<void> {
  await say(page, '/billing watch prod balance 1');
  await form.getByText(/[\d,.]+\sEUR left · /).waitFor();
  const [, left = ''] = /([\d,]+)\.\d\d\sEUR left · /.exec((await form.textContent()) ?? '') ?? [];
  // The next round amount below the balance, so that the watch alerts soon.
  const threshold = Math.floor((Number(left.replaceAll(',', '')) - 1) / 10_000) * 10_000;
  await form.getByLabel('Below', { exact: true }).fill(String(threshold));
  await saveForm(page);
  await page.getByText('Break something', { exact: true }).click();
  await page.getByLabel('billing').selectOption('Burning money');
  await page.getByRole('button', { name: 'Skip 1 hour' }).click();
  const alert = page.getByRole('article').filter({ hasText: / left, below / });
  await alert.waitFor({ timeout: 45_000 });
  await take(alert, 'alert');
}

const chromium = findChromium();
if (chromium === undefined) throw new Error('Chromium isn’t installed. Install it, or set CHROMIUM_PATH.');
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser(chromium);
try {
  for (const takeAll of [working, takeStory]) {
    const sandbox = await startSandbox();
    try {
      await takeAll(await browser.newPage({ deviceScaleFactor: 2 }), sandbox, FOLDER);
    } finally {
      await sandbox.stop();
    }
  }
} finally {
  await browser.close();
}
