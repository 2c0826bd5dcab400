/** The README's moving picture: a command and its answer, a question in a thread, and the next morning's post. */
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { addProject, closeModal, connect, saveForm, say, setCurrency } from '../page-actions.ts';
import type { Sandbox } from '../start.ts';
import { encodeAnimation, type Frame } from './animation.ts';

const THEMES = ['light', 'dark'] as const;

const KEY = 60;
const BEAT = 500;
const READ = 2_400;

/** Takes the story in both themes: `story.webp` and `story-dark.webp`. */
export async function takeStory(page: Page, { url, billing, slack }: Sandbox, folder: string): Promise<void> {
  const frames: Record<(typeof THEMES)[number], Frame[]> = { light: [], dark: [] };
  const show = async (duration: number) => {
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      frames[colorScheme].push({ png: await page.screenshot({ animations: 'disabled' }), duration });
    }
  };
  const type = async (field: string, text: string) => {
    const composer = page.getByRole('textbox', { name: field });
    for (let length = 1; length <= text.length; length += 1) {
      await composer.fill(text.slice(0, length));
      await show(KEY);
    }
    await show(BEAT);
    await composer.press('Enter');
  };
  const articles = page.getByRole('article');

  await prepare(page, url, billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '');
  await show(BEAT);
  await type('Message', '/spend prod last-month');
  await articles.getByRole('button', { name: 'Balance' }).waitFor();
  await show(READ);

  const question = 'October was expensive. What happened?';
  slack.workspace.post({ channel: 'C0COSTS001', from: 'U0MEMBER01', text: question });
  const asked = articles.filter({ hasText: question });
  await asked.hover();
  await asked.getByRole('button', { name: 'Reply in thread' }).click();
  await page.mouse.move(0, 0);
  await show(BEAT * 2);
  await type('Reply', '@Tally why did prod go up in october?');
  await page.getByRole('region', { name: 'Thread' }).getByText('asked by').waitFor();
  await show(READ);

  const posts = articles.filter({ hasText: 'Every day at 09:00' });
  const count = await posts.count();
  await page.getByRole('button', { name: 'Show the panel' }).click();
  await page.getByRole('button', { name: 'Skip to 09:00', exact: true }).click();
  await page.getByRole('button', { name: 'Hide the panel' }).click();
  await posts.nth(count).waitFor({ timeout: 60_000 });
  await show(READ + BEAT);

  // Frames are encoded on an empty page, because the sandbox's page loads no outside pictures.
  await page.goto('about:blank');
  for (const theme of THEMES) {
    const file = theme === 'dark' ? 'story-dark.webp' : 'story.webp';
    await writeFile(`${folder}/${file}`, await encodeAnimation(page, frames[theme]));
  }
}

async function prepare(page: Page, url: string, token: string): Promise<void> {
  await page.setViewportSize({ width: 960, height: 720 });
  await page.goto(url);
  await (await connect(page, token)).getByText('Connected').waitFor();
  await closeModal(page);
  await setCurrency(page, 'EUR');
  await addProject(page, 'prod 123');
  await page.getByRole('button', { name: 'cloud-costs' }).click();
  await say(page, '/billing schedule prod daily 09:00');
  const form = page.getByRole('dialog');
  await form.getByText('Next three posts').waitFor();
  await saveForm(page);
  await page.mouse.move(0, 0);
}
