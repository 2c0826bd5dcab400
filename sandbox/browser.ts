/** The system's Chromium, for the pictures and the browser tests. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const PATHS = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** No background requests: the browser loads the sandbox's page and nothing else. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function findChromium(): string | undefined {
  return PATHS.find((path) => path !== undefined && existsSync(path));
}

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** A browser that several processes share by its address. */
export function startBrowserServer(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: ARGUMENTS, host: '127.0.0.1' });
}
