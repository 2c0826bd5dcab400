/** A Chromium of the system, if there is one: what the pictures and the browser tests look through. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const PATHS = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Without a network of its own business: it loads the sandbox's page and nothing else. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function findChromium(): string | undefined {
  return PATHS.find((place) => place !== undefined && existsSync(place));
}

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** For several processes or threads, which connect to its address. */
export function startBrowserServer(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: ARGUMENTS, host: '127.0.0.1' });
}
