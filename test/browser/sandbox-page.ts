import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { findChromium, openBrowser } from '../../sandbox/browser.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/start.ts';

interface SandboxPage {
  readonly sandbox: Sandbox;
  readonly page: Page;
  readonly token: string;
}

interface SandboxPageOptions extends SandboxOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
}

/**
 * Opens the sandbox's page for the tests of a file or a `describe`, and checks at the end that the page had no
 * errors. Without Chromium the tests are skipped.
 * @param onOpen called once
 */
export function withSandboxPage(
  onOpen: (opened: SandboxPage) => void | Promise<void>,
  { viewport = { width: 1280, height: 900 }, ...options }: SandboxPageOptions = {},
): void {
  const executable = findChromium();
  const errors: string[] = [];
  const releases: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    if (executable === undefined) return;
    const sandbox = await startSandbox(options);
    releases.push(() => sandbox.stop());
    const browser = await openBrowser(executable);
    releases.push(() => browser.close());
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(sandbox.url);
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
    await onOpen({ sandbox, page, token });
  }, 120_000);
  beforeEach(({ skip }) => {
    if (executable === undefined) skip('no Chromium is installed');
  });
  afterAll(async () => {
    for (const release of releases.splice(0).reverse()) await release();
    expect(errors.splice(0)).toEqual([]);
  });
}
