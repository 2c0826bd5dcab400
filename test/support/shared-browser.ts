/** Vitest's global setup: a page in its own process that starts the run's one Chromium when it is first asked. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium, startBrowserServer } from '../../sandbox/browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address that Playwright connects to. */
    browserLauncher: string;
  }
}

/** @returns what ends the Chromium, if there is one, when the run is over */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<BrowserServer> | undefined;
  const launcher = createServer(async (_, response) => {
    running ??= startBrowserServer(findChromium() ?? '');
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
