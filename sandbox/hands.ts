/** What a person does on the sandbox's page: types, fills the form in, waits for the answer. */
import type { Locator, Page } from 'playwright-core';

export async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill(text);
  await composer.press('Enter');
  // The first Enter may have completed the command.
  if ((await composer.inputValue()) !== '') await composer.press('Enter');
}

/** Types a command and waits for an answer with this in it. */
export async function ask(page: Page, text: string, answer: string | RegExp): Promise<Locator> {
  await say(page, text);
  const message = page.getByRole('article').filter({ hasText: answer }).last();
  await message.waitFor();
  return message;
}

/** `/billing connect` with this token, up to the result. */
export async function connect(page: Page, token: string, project = '123'): Promise<Locator> {
  await say(page, '/billing connect');
  const form = page.getByRole('dialog', { name: 'Connect billing' });
  await form.getByLabel('User access token').fill(token);
  await form.getByLabel('A project to test with').fill(project);
  await form.getByRole('button', { name: 'Test and save' }).click();
  return form;
}

/** `/billing projects access` with this access, up to the result. */
export async function registerAccess(
  page: Page,
  project: string,
  id: string,
  secret: string,
): Promise<Locator> {
  await say(page, `/billing projects access ${project}`);
  const form = page.getByRole('dialog', { name: 'Application access' });
  await form.getByLabel('Access ID').fill(id);
  await form.getByLabel('Secret key').fill(secret);
  await form.getByRole('button', { name: 'Test and save' }).click();
  return form;
}

export async function closeModal(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
