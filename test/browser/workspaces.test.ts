import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask, closeModal, install, replyTo, saveForm, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from './sandbox-page.ts';

const NOOR = 'U0ORBIT001';
let sandbox: Sandbox;
let page: Page;
let token: string;

withSandboxPage(
  (opened) => {
    ({ sandbox, page, token } = opened);
  },
  { oauth: true },
);

describe('a second workspace in the sandbox', () => {
  it('can install Tally after a first attempt was cancelled', async () => {
    const tab = await page.context().browser()!.newPage();
    await tab.goto(`${sandbox.bot.url}/slack/install`);
    await tab.getByRole('button', { name: 'Cancel' }).click();
    await tab.getByText('Tally wasn’t installed. It was cancelled in Slack.').waitFor();
    await tab.goto(`${sandbox.bot.url}/slack/install`);
    await install(tab, 'Noor Haddad');
    await tab.close();
    await page.goto(`${sandbox.url}?as=${NOOR}`);
    await page.getByRole('heading', { name: 'Orbit' }).waitFor();
  }, 60_000);

  it('gets its first answer, and names a project, by following the steps on Home', async () => {
    const home = page.getByRole('region', { name: 'App Home' });
    const press = (name: string) => home.getByRole('button', { name, exact: true }).click();
    await page.getByRole('button', { name: 'App Home' }).click();
    await home.getByText('Tally isn’t connected to a billing service').waitFor();
    await press('Connect…');
    const form = page.getByRole('dialog', { name: 'Connect billing' });
    await form.getByLabel('User access token').fill(token);
    await form.getByLabel('Project to test with').fill('123');
    await form.getByRole('button', { name: 'Test and save' }).click();
    await form.getByText(/Connected ✓ Project 123 has [\d,.]+ left/).waitFor();
    await closeModal(page);

    await homeWith(home.getByRole('button', { name: 'Name project 123…' }));
    await press('Name project 123…');
    await page.getByLabel('Name', { exact: true }).fill('prod');
    await saveForm(page);
    await page.getByRole('button', { name: 'operations' }).click();
    await ask(page, '/balance prod', /prod · [\d,.]+ left/);
    await homeWith(home.getByText(/1 project · [\d,.]+ left/));
  }, 60_000);

  it('gets an answer in the thread where somebody mentions Tally', async () => {
    await page.getByRole('button', { name: 'operations' }).click();
    await say(page, 'Do we have enough for the winter?');
    await replyTo(page, 'enough for the winter', '@Tally balance prod');
    const thread = page.getByRole('region', { name: 'Thread' });
    await thread.getByText(/prod · [\d,.]+ left/).waitFor();
    expect(await thread.innerText()).toMatch(/asked by @Noor Haddad/);
    expect(await thread.getByText('Only visible to you').count()).toBe(0);
  }, 60_000);

  it('no longer has Tally’s commands once Tally is uninstalled', async () => {
    await page.getByText('Installation', { exact: true }).click();
    await page.getByRole('button', { name: 'Uninstall' }).click();
    await page.getByText('Tally is not installed in Orbit.').waitFor();
    await ask(page, '/balance prod', 'is not a valid command');
    await page.getByRole('button', { name: 'Sandbox' }).click();
    await page.getByText('Tally isn’t installed in Sandbox yet').waitFor();
  }, 60_000);
});

/** Opens the Home until it shows this: what an answer changes is saved after the answer. */
async function homeWith(what: Locator): Promise<void> {
  const { slack, url } = sandbox;
  const published = () => slack.calls.filter(({ method }) => method === 'views.publish').length;
  const open = async () => {
    const before = published();
    await page.goto(`${url}?as=${NOOR}&channel=home`);
    // The page first shows the old Home; a click on it would be lost with the update.
    await slack.waitFor(() => published() > before, 10_000);
    await page.getByRole('region', { name: 'App Home' }).getByRole('button').first().waitFor();
    return what.isVisible();
  };
  await expect.poll(open, { timeout: 15_000 }).toBe(true);
}
