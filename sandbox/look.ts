import { mkdir } from 'node:fs/promises';
import { openBrowser, findChromium } from './browser.ts';
import { addProject, closeModal, connect, say } from './page-actions.ts';
import { startSandbox } from './start.ts';
const OUT = '/tmp/home/pics';
await mkdir(OUT, { recursive: true });
const browser = await openBrowser(findChromium()!);
const sandbox = await startSandbox({});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
  await page.goto(sandbox.url);
  const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
  const shot = async (name: string) => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${OUT}/${name}.png`, animations: 'disabled' });
  };
  const home = async (name: string) => {
    await page.getByRole('button', { name: 'App Home' }).click();
    await page.getByText('All commands').waitFor();
    await page.waitForTimeout(500);
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 1000 });
        await page.waitForTimeout(200);
        await shot(`${name}-${width}-${scheme}`);
        const box = await page.locator('.home > .blocks').boundingBox();
        console.log(name, width, scheme, box?.height);
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 1000 });
  };
  await home('home-new');
  await page.getByRole('button', { name: 'cloud-costs' }).click();
  await say(page, '/billing connect');
  await page.getByRole('dialog').getByLabel('User access token').waitFor();
  await shot('connect');
  await closeModal(page);
  await (await connect(page, token)).getByText('Connected').waitFor();
  await shot('connected');
  await closeModal(page);
  for (const p of ['prod 123', 'archive 789 storage', 'web-shop 456', 'overdrawn 1001', 'staging 457', 'backups 790 storage']) await addProject(page, p);
  await home('home-named');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.waitForTimeout(2500);
  await home('home-six');
  await page.getByRole('button', { name: 'cloud-costs' }).click();
  await say(page, '/billing watch prod');
  await page.waitForTimeout(2500);
  await shot('watch-form');
  await closeModal(page);
  await say(page, '/billing connect');
  await page.waitForTimeout(1000);
  await shot('replace');
  await closeModal(page);
  await say(page, '/billing help');
  await page.waitForTimeout(1500);
  await say(page, '/billing status');
  await page.waitForTimeout(1500);
  await shot('help-status');
  await say(page, '/billing watch help');
  await page.waitForTimeout(1500);
  await shot('watch-help');
} finally {
  await sandbox.stop();
  await browser.close();
}
