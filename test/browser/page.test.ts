import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addProject, ask, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from './sandbox-page.ts';

const COSTS = 'C0COSTS001';
const OWNER = 'U0OWNER001';
let sandbox: Sandbox;
let page: Page;

withSandboxPage(async (opened) => {
  ({ sandbox, page } = opened);
  await (await connect(page, opened.token)).getByText('Connected').waitFor();
  await closeModal(page);
  await addProject(page, 'prod 123');
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
const post = (from: string, text: string, viewer?: string) =>
  sandbox.slack.workspace.post({ channel: COSTS, from, text, ...(viewer !== undefined && { viewer }) });

describe('the sandbox’s page', { timeout: 30_000 }, () => {
  it('counts unread messages, except your own and private ones, until you open the channel', async () => {
    post(OWNER, 'Mine');
    post('bot', 'For my eyes', OWNER);
    post('bot', 'One');
    post('bot', 'Two');
    await button('cloud-costs 2 new').click();
    await page.getByText('Two').waitFor();
    await button('general').click();
    await page.getByRole('heading', { name: 'general' }).waitFor();
    expect(await button(/ new$/).count()).toBe(0);
  });

  it('opens a menu by keyboard, and moves the focus back to the menu’s button after Escape', async () => {
    const answer = await ask(page, '/balance prod', 'left');
    const more = answer.getByRole('button', { name: 'More actions' });
    await more.press('Enter');
    const csv = answer.getByRole('button', { name: 'Details' });
    await csv.waitFor();
    await page.keyboard.press('Escape');
    await csv.waitFor({ state: 'hidden' });
    expect(await more.evaluate((it) => it.matches(':focus'))).toBe(true);
  });

  it('opens a table after a click on its title, and keeps it open when another message arrives', async () => {
    const answer = await ask(page, '/spend prod', 'spent');
    const row = answer.getByRole('row').last();
    expect(await row.isVisible()).toBe(false);
    await answer.getByText('Each day').click();
    await row.waitFor();
    await ask(page, '/balance prod', 'left');
    expect(await row.isVisible()).toBe(true);
  });

  it('shows Tally’s mark-up as formatting, but escaped mark-up as plain text', async () => {
    const text =
      '*bold* `a*b*c` <@U0MEMBER01> in <#C0COSTS001>, &lt;!channel&gt; 5 * 3 * 2\n# <https://example.com|a link>';
    post('bot', text);
    await button('cloud-costs').click();
    const message = page.getByRole('article').last();
    expect(await message.innerText()).toContain(
      'bold a*b*c @Mateus Lindner in #cloud-costs, <!channel> 5 * 3 * 2\n# a link',
    );
    expect(await message.locator('.text b').innerText()).toBe('bold');
  });

  it('keeps the text typed into a form when the panel is hidden and shown again', async () => {
    await say(page, '/billing connect');
    const field = page.getByRole('dialog').getByLabel('User access token');
    await field.fill('half a tok');
    await button('Hide the panel').click();
    await button('Show the panel').click();
    await page.getByText('sandbox-user-token-read-only').waitFor();
    expect(await field.inputValue()).toBe('half a tok');
    await closeModal(page);
  });

  it('lets you add a typed project to a form’s list, and remove another project', async () => {
    await addProject(page, 'web-shop 456');
    await say(page, '/billing schedule prod daily 09:00');
    const form = page.getByRole('dialog');
    const projects = form.getByLabel('Projects', { exact: true });
    await projects.fill('web');
    await projects.press('Enter');
    await form.getByRole('button', { name: 'Remove web-shop' }).waitFor();
    await form.getByRole('button', { name: 'Remove prod' }).click();
    await form.getByRole('button', { name: 'Remove prod' }).waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Remove web-shop' }).waitFor();
    await closeModal(page);
  });
});
