import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask, closeModal, connect, registerAccess, saveForm, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from './sandbox-page.ts';

let sandbox: Sandbox;
let page: Page;
let token: string;

describe('a newcomer in the sandbox', { timeout: 75_000 }, () => {
  withSandboxPage(
    (opened) => {
      ({ sandbox, page, token } = opened);
    },
    { viewport: { width: 1440, height: 900 } },
  );

  it('can connect Tally to billing, and ask about balance and spend', async () => {
    const form = await connect(page, token);
    await form.getByText(/Connected ✓ Project 123 has [\d,.]+ left, about 41 days\./).waitFor();
    await closeModal(page);
    const balance = await ask(page, '/balance 123', /Project 123 · [\d,.]+ left/);
    expect(await balance.innerText()).toMatch(/Only visible to you[\s\S]*About 41 days, until around /);
    const spend = await ask(page, '/spend 123 last-7-days', /Project 123 · [^·]+ · [\d,.]+ spent/);
    await spend.getByText('Each day (7)').click();
    expect(await spend.getByRole('row').count()).toBe(8);
    expect(await page.getByRole('log').innerText()).not.toContain(token);
  });

  it('can correct a mistyped word, add today to a period, and share an answer', async () => {
    const refused = await ask(page, '/spend 123 yesterdy', '“yesterdy”');
    await refused.getByRole('button', { name: '/spend 123 yesterday' }).click();
    const last = page.getByRole('article').last();
    await last.getByText(/Project 123 · [^·]+ · [\d,.]+ spent/).waitFor();
    const week = await ask(page, '/spend 456', 'Project 456');
    await week.getByRole('button', { name: 'More actions' }).click();
    await week.getByRole('button', { name: 'Include today' }).click();
    await last.getByText(/[\d,.]+ so far/).waitFor();
    await last.getByRole('button', { name: 'Share' }).click();
    await last.getByText(/shared by/).waitFor();
  });

  it('sees an outage of billing, and gets an answer after “Try again”', async () => {
    await page.getByText('Break something', { exact: true }).click();
    await page.getByLabel('billing').selectOption('failing');
    const reply = await ask(page, '/balance 456', 'returned an error (HTTP 500)');
    await page.getByLabel('billing').selectOption('healthy');
    await reply.getByRole('button', { name: 'Try again' }).click();
    const last = page.getByRole('article').last();
    await last.getByText(/Project 456 · [\d,.]+ left/).waitFor();
  });

  it('can schedule a daily post, which arrives after “Skip to 09:00”', async () => {
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await say(page, '/billing schedule 123 daily 09:00');
    const form = page.getByRole('dialog');
    await form.getByText('Next three posts').waitFor();
    await saveForm(page);
    await page.getByRole('button', { name: 'Skip to 09:00', exact: true }).click();
    // The announcement has the same time, but starts in lower case.
    const post = page.getByRole('article').filter({ hasText: /Every day at 09:00 \(Europe\/London\)/ });
    await post.waitFor({ timeout: 45_000 });
    expect(await post.innerText()).toMatch(/Project 123 · \w{3} \d+ \w{3} · [\d,.]+/);
    expect(await post.innerText()).not.toContain('Late');
  });

  it('gets an answer to a follow-up question in a mention’s thread', async () => {
    await say(page, '@Tally spend 123 last month');
    const thread = page.getByRole('region', { name: 'Thread' });
    await thread.getByText(/Project 123 · [^·]+ · [\d,.]+ spent/).waitFor();
    await page.getByRole('button', { name: '@Tally and 456?' }).click();
    const reply = page.getByRole('textbox', { name: 'Reply' });
    expect(await reply.inputValue()).toBe('@Tally and 456?');
    await reply.press('Enter');
    await thread.getByText(/Project 456 · [^·]+ · [\d,.]+ spent/).waitFor();
  });

  it('can see a temporary token in a modal, and revoke that token', async () => {
    await registerAccess(page, '123', sandbox.identity.accesses.good);
    await say(page, '/os-token 123');
    const window = page.getByRole('dialog', { name: 'OS_TOKEN' });
    await window.getByText('export OS_TOKEN=').waitFor();
    await window.getByRole('button', { name: 'Revoke now' }).click();
    await window.getByText('Revoked.').waitFor();
    await closeModal(page);
  });
});
