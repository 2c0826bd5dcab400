/** `npm run pictures`: takes the screenshots and the moving picture of the README and the docs. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { findChromium, openBrowser } from './browser.ts';
import { ROOT } from './build.ts';
import { addProject, ask, closeModal, connect, registerAccess, replyTo, say } from './page-actions.ts';
import { takeStory } from './pictures/story.ts';
import { type Sandbox, startSandbox } from './start.ts';

const FOLDER = join(ROOT, 'docs', 'pictures');

const WINDOW = { width: 1280, height: 900 };
/** Height of the bars and the message field around a message or the Home. */
const AROUND = 260;

/** Takes one picture per theme, cropped to `what`: `spend.png` and `spend-dark.png`. */
async function take(what: Page | Locator, name: string): Promise<void> {
  const page = 'page' in what ? what.page() : what;
  if ('page' in what) {
    // A screenshot cuts off what does not fit the scrolling box.
    const { height } = (await what.boundingBox()) ?? WINDOW;
    await page.setViewportSize({ ...WINDOW, height: Math.max(WINDOW.height, Math.ceil(height) + AROUND) });
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // The sandbox's page changes its theme by script; Tally's own pages by style sheet.
    if ((await page.locator('html[data-theme]').count()) > 0)
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    const file = colorScheme === 'dark' ? `${name}-dark.png` : `${name}.png`;
    await what.screenshot({ path: join(FOLDER, file), animations: 'disabled' });
  }
}

async function installing(page: Page, { bot }: Sandbox): Promise<void> {
  await page.setViewportSize({ width: 680, height: 520 });
  await page.goto(`${bot.url}/slack/install`);
  await take(page, 'install');
}

async function working(page: Page, { url, billing, identity }: Sandbox): Promise<void> {
  await page.setViewportSize(WINDOW);
  await page.goto(url);
  const token = billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
  await say(page, '/billing connect');
  await page.getByLabel('User access token').waitFor();
  await take(page.getByRole('dialog'), 'connect');
  await closeModal(page);
  await (await connect(page, token)).getByText('Connected').waitFor();
  await closeModal(page);

  await page.getByRole('button', { name: 'cloud-costs' }).click();
  await page.mouse.move(0, 0);
  await take(await ask(page, '/spend 123 last-7-days', 'spent'), 'spend');
  await take(await ask(page, '/balance 123', 'left'), 'balance');
  await take(await ask(page, '/spend 123 last-wek', 'last-wek'), 'suggestion');

  for (const project of ['prod 123', 'archive 789 storage']) await addProject(page, project);
  await say(page, '/billing default prod');
  await page.mouse.move(0, 0);
  await take(await ask(page, '/billing projects', '2 projects'), 'projects');
  await say(page, '/billing settings');
  await page.getByLabel('Currency label').waitFor();
  await take(page.getByRole('dialog'), 'settings');
  await closeModal(page);

  await registerAccess(page, 'prod', identity.accesses.good);
  await say(page, '/os-token prod');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Revoke now').waitFor();
  await take(page.getByRole('dialog'), 'os-token');
  await closeModal(page);

  await say(page, 'Do we have enough for the winter?');
  await replyTo(page, 'enough for the winter', '@Tally balance prod');
  const thread = page.getByRole('region', { name: 'Thread' });
  await thread.getByText('asked by').waitFor();
  await page.mouse.move(0, 0);
  await take(thread, 'thread');

  await scheduling(page);
  await watching(page);
  await ask(page, '/balance archive', 'archive · ');
  await page.getByRole('button', { name: 'App Home' }).click();
  await page.getByText('archive · ').waitFor();
  await take(page.locator('.home-view'), 'home');
}

/** Schedules a post about one project and one about three, then skips to when they are due. */
async function scheduling(page: Page): Promise<void> {
  await addProject(page, 'web-shop 456');
  const form = page.getByRole('dialog');
  for (const others of [[], ['archive', 'web-shop']]) {
    await say(page, '/billing schedule prod daily 09:00');
    await form.getByText('Next three posts').waitFor();
    const projects = form.getByLabel('Projects', { exact: true });
    for (const name of others) {
      await projects.fill(name);
      await page.getByRole('option', { name }).click();
      await form.getByRole('button', { name: `Remove ${name}` }).waitFor();
    }
    await form.getByText('Schedule a post').click();
    if (others.length > 0) await take(form, 'schedule-form');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved:').waitFor();
    await closeModal(page);
  }
  const posts = page.getByRole('article').filter({ hasText: /Every day at 09:00 \(Europe\/London\)/ });
  await page.getByRole('button', { name: /^Skip to 09:00/ }).click();
  await posts.nth(1).waitFor({ timeout: 45_000 });
  await page.mouse.move(0, 0);
  await take(posts.filter({ hasText: '3 projects' }), 'digest');
  await take(posts.filter({ hasNotText: '3 projects' }), 'scheduled');
}

/** Takes the form with its preview, then skips time until the watch alerts. */
async function watching(page: Page): Promise<void> {
  const form = page.getByRole('dialog');
  await say(page, '/billing watch prod spike 1.1x over 1000');
  await form.getByText('last 90 days').waitFor();
  await form.getByText('Set up a watch').click();
  await page.mouse.move(0, 0);
  await take(form, 'watch-form');
  await closeModal(page);
  await say(page, '/billing watch prod balance 1');
  await form.getByText('Now: ').waitFor();
  const [, left = ''] = /Now: ([\d,]+)\./.exec((await form.textContent()) ?? '') ?? [];
  // A round threshold just below what is left.
  const threshold = Math.floor((Number(left.replaceAll(',', '')) - 1) / 10_000) * 10_000;
  await closeModal(page);
  await say(page, `/billing watch prod balance ${threshold}`);
  await form.getByText('last 90 days').waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Saved:').waitFor();
  await closeModal(page);
  await page.getByRole('tab', { name: 'Switches' }).click();
  await page.getByRole('radio', { name: /^Burning money/ }).check();
  await page.getByRole('button', { name: 'Skip 1 hour' }).click();
  const alert = page.getByRole('article').filter({ hasText: / left, below / });
  await alert.waitFor({ timeout: 45_000 });
  await page
    .getByRole('radio', { name: /^Healthy/ })
    .first()
    .check();
  await page.getByRole('tab', { name: 'Try' }).click();
  await page.mouse.move(0, 0);
  await take(alert, 'alert');
}

const chromium = findChromium();
if (chromium === undefined) throw new Error('No Chromium is installed; CHROMIUM_PATH may name one.');
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser(chromium);
try {
  for (const oauth of [true, false]) {
    const sandbox = await startSandbox({ oauth });
    try {
      await (oauth ? installing : working)(await browser.newPage({ deviceScaleFactor: 2 }), sandbox);
    } finally {
      await sandbox.stop();
    }
  }
  const sandbox = await startSandbox();
  try {
    await takeStory(browser, sandbox, FOLDER);
  } finally {
    await sandbox.stop();
  }
} finally {
  await browser.close();
}
