/** Vitest's global setup: a server that starts one Chromium for the whole run, at the first request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the WebSocket URL for Playwright. */
    browserLauncher: string;
  }
}

/** @returns the teardown, which closes Chromium if it was started */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<BrowserServer> | undefined;
  const launcher = createServer(async (_, response) => {
    running ??= startBrowser();
    await running.then(
      (browser) => response.end(browser.wsEndpoint()),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => launcher.listen(0, '127.0.0.1', resolve));
  project.provide('browserLauncher', `http://127.0.0.1:${(launcher.address() as AddressInfo).port}`);
  return async () => {
    launcher.close();
    launcher.closeAllConnections();
    await running?.then((browser) => browser.close()).catch(() => undefined);
  };
}

/** Playwright takes a second to load, which only a run that asks for a browser pays. */
async function startBrowser(): Promise<BrowserServer> {
  const { findChromium, startBrowserServer } = await import('../../sandbox/browser.ts');
  return startBrowserServer(findChromium() ?? '');
}
