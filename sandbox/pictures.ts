/** `npm run pictures`: takes the README's pictures from the sandbox, as a person would see it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { findChromium, openBrowser } from './browser.ts';
import { ROOT } from './build.ts';
import { ask, closeModal, connect, registerAccess, say } from './hands.ts';
import { startSandbox } from './start.ts';

const FOLDER = join(ROOT, 'docs', 'pictures');
const take = (what: Page | Locator, name: string) => what.screenshot({ path: join(FOLDER, `${name}.png`) });

const chromium = findChromium();
if (chromium === undefined) throw new Error('No Chromium is installed; CHROMIUM_PATH may name one.');
await mkdir(FOLDER, { recursive: true });
const sandbox = await startSandbox();
const browser = await openBrowser(chromium);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(sandbox.url);
  await page.getByText('What do your cloud projects cost?').waitFor();
  await take(page, 'sandbox');

  const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
  await say(page, '/billing connect');
  await page.getByLabel('User access token').waitFor();
  await take(page, 'connect');
  await closeModal(page);
  await (await connect(page, token)).getByText('Connected').waitFor();
  await closeModal(page);

  const { id, secret } = sandbox.identity.accesses.good;
  const access = await registerAccess(page, '123', id, secret);
  await access.getByText('can issue OS_TOKENs').waitFor();
  await closeModal(page);
  await say(page, '/os-token 123');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Revoke now').waitFor();
  await take(page.getByRole('dialog'), 'os-token');
  await page.getByRole('button', { name: 'Revoke now' }).click();
  await page.getByText('no longer accepted').waitFor();
  await closeModal(page);

  // High enough for the whole answer, headline included.
  await page.setViewportSize({ width: 1280, height: 1260 });
  await page.getByRole('button', { name: 'cloud-costs' }).click();
  await ask(page, '/spend 123 last-7-days', 'spent');
  await take(page, 'spend');

  await take(await ask(page, '/balance 123', 'left'), 'balance');
  await take(await ask(page, '/spend 123 last-wek', 'last-wek'), 'suggestion');
} finally {
  await browser.close();
  await sandbox.stop();
}
