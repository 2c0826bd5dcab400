import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { closeModal, connect, registerAccess, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from '../support/browser.ts';

let sandbox: Sandbox;
let page: Page;
let token: string;

withSandboxPage((opened) => {
  ({ sandbox, page, token } = opened);
});

describe('a scheduled post and an OS_TOKEN', () => {
  it('posts at the scheduled time, after a skip to it', async () => {
    await (await connect(page, token)).getByText('Connected').waitFor();
    await closeModal(page);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await say(page, '/billing schedule 123 daily 09:00');
    const form = page.getByRole('dialog');
    await form.getByText('Next three posts').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Saved:').waitFor();
    await closeModal(page);

    await page.getByRole('button', { name: /^Skip to 09:00/ }).click();
    const post = page.getByRole('article').filter({ hasText: /Every day at 09:00 \(Europe\/London\)/ });
    await post.waitFor({ timeout: 45_000 });
    expect(await post.innerText()).toMatch(/Project 123 · [\d,.]+ spent on \w{3} \d+ \w{3}/);
    expect(await post.innerText()).not.toContain('Late');
  }, 75_000);

  it('shows a temporary token in a modal and revokes it', async () => {
    await registerAccess(page, '123', sandbox.identity.accesses.good);
    await say(page, '/os-token 123');
    const window = page.getByRole('dialog', { name: 'OS_TOKEN' });
    await window.getByRole('button', { name: 'Continue' }).click();
    await window.getByText('export OS_TOKEN=').waitFor();
    await window.getByRole('button', { name: 'Revoke now' }).click();
    await window.getByText('no longer accepted').waitFor();
  }, 60_000);
});
