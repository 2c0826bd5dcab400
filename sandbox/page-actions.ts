/** Actions on the sandbox's page, for the pictures and the browser tests. */
import type { Locator, Page } from 'playwright-core';

export async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill(text);
  await composer.press('Enter');
}

export async function ask(page: Page, text: string, answer: string | RegExp): Promise<Locator> {
  await say(page, text);
  const message = page.getByRole('article').filter({ hasText: answer }).last();
  await message.waitFor();
  return message;
}

export async function connect(page: Page, token: string, project = '123'): Promise<Locator> {
  await say(page, '/billing connect');
  const form = page.getByRole('dialog', { name: 'Connect billing' });
  await form.getByLabel('User access token').fill(token);
  await form.getByLabel('Project to test with').fill(project);
  await form.getByRole('button', { name: 'Test and save' }).click();
  return form;
}

export async function addProject(page: Page, words: string): Promise<void> {
  await say(page, `/billing projects add ${words}`);
  await saveForm(page);
}

export async function setCurrency(page: Page, label: string): Promise<void> {
  await say(page, '/billing settings');
  await page.getByLabel('Currency label').fill(label);
  await saveForm(page);
}

export async function saveForm(page: Page): Promise<void> {
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText(/Saved[.:]/).waitFor();
  await closeModal(page);
}

export async function replyTo(page: Page, message: string, text: string): Promise<void> {
  const parent = page.getByRole('article').filter({ hasText: message });
  await parent.hover();
  await parent.getByRole('button', { name: 'Reply in thread' }).click();
  const field = page.getByRole('textbox', { name: 'Reply' }).last();
  await field.fill(text);
  await field.press('Enter');
}

export async function install(page: Page, person: string): Promise<void> {
  await page.getByLabel(person).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Thank you!').waitFor();
}

export async function registerAccess(
  page: Page,
  project: string,
  { id, secret }: { id: string; secret: string },
): Promise<void> {
  await say(page, `/billing projects access ${project}`);
  const form = page.getByRole('dialog', { name: 'Application access' });
  await form.getByLabel('Access ID').fill(id);
  await form.getByLabel('Secret key').fill(secret);
  await form.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('dialog').getByText('can issue OS_TOKENs').waitFor();
  await closeModal(page);
}

export async function closeModal(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
