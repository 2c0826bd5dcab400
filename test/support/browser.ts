/** One Chromium for all files of a run: `shared-browser.ts` starts it when the first of them asks. */
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

/** Closing it closes its pages and leaves the Chromium to the other files. @throws where Chromium does not start */
export async function sharedBrowser(): Promise<Browser> {
  const answer = await fetch(inject('browserLauncher'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Chromium did not start: ${text}`);
  return chromium.connect(text);
}
