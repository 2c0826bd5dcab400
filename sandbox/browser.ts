/** The system's Chromium, for the pictures and the browser tests. */
import { type Browser, chromium } from 'playwright-core';
import { findExecutable, isExecutable } from './find-executable.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** macOS puts no program of it on PATH. */
const ON_MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** No background requests: the browser loads the sandbox's page and nothing else. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @returns its path: CHROMIUM_PATH, else the one on PATH */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  return NAMES.map(findExecutable).find(Boolean) ?? [ON_MACOS].find(isExecutable);
}

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
