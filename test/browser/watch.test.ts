import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addProject, closeModal, connect, saveForm, say } from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from './sandbox-page.ts';

let sandbox: Sandbox;
let page: Page;
let token: string;

withSandboxPage((opened) => {
  ({ sandbox, page, token } = opened);
});

/** The queue checks the time every ten seconds. */
const NEXT_CHECK = { timeout: 45_000 };

describe('a balance watch', () => {
  it('posts an alert, adds the recovery to that alert, and posts a new alert after the next drop', async () => {
    await (await connect(page, token)).getByText('Connected').waitFor();
    await closeModal(page);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await addProject(page, 'prod 123');
    await say(page, '/billing watch prod balance 1');
    const form = page.getByRole('dialog');
    await form.getByText(/[\d,.]+ left · /).waitFor();
    const [, left = ''] = /([\d,]+)\.\d\d left · /.exec(await form.innerText()) ?? [];
    await form.getByLabel('Below', { exact: true }).fill(String(Number(left.replaceAll(',', '')) - 100));
    await saveForm(page);

    const skip = () => page.getByRole('button', { name: 'Skip 1 hour' }).click();
    const alerts = page.getByRole('article').filter({ hasText: / left, below / });
    await page.getByText('Break something', { exact: true }).click();
    await page.getByLabel('billing').selectOption('Burning money');
    await skip();
    await alerts.first().waitFor(NEXT_CHECK);
    expect(await alerts.first().innerText()).toMatch(/prod has [\d,.]+ left, below [\d,.]+/);
    await alerts.first().getByRole('button', { name: 'Acknowledge' }).click();
    await alerts.first().getByText('Acknowledged by @Olivia Okafor').waitFor();

    sandbox.billing.setBalance('123', '{"balance":2000000,"bonuses":0}');
    await skip();
    const recovered = page.getByRole('article').filter({ hasText: 'prod recovered: ' });
    await recovered.first().getByText('Acknowledged by @Olivia Okafor').waitFor(NEXT_CHECK);
    sandbox.billing.setBalance('123', '{"balance":1000,"bonuses":0}');
    await skip();
    await alerts.getByRole('button', { name: 'Acknowledge' }).waitFor(NEXT_CHECK);
  }, 180_000);
});
