import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const yaml = async (path: string) => parse(await readFile(`.github/${path}`, 'utf8'));

describe('what the code host reads', () => {
  it('runs the whole check in a fresh container, as root, with the oldest Node that CI knows', async () => {
    const { jobs, permissions } = await yaml('workflows/ci.yml');
    const { container, steps } = jobs.whole;
    expect(steps.at(-1)).toMatchObject({ run: 'bash .ci/run', env: { CI: 'true' } });
    expect(container).toMatch(/^node:20\.\d+\.\d+-bookworm-slim$/);
    expect(permissions).toEqual({ contents: 'read' });
  });

  it('updates every folder with packages of its own, the image and the steps of CI', async () => {
    const { updates } = await yaml('dependabot.yml');
    expect(updates.map((update: { 'package-ecosystem': string }) => update['package-ecosystem'])).toEqual([
      'npm',
      'docker',
      'github-actions',
    ]);
    expect(updates[0].directories).toEqual(['/', '/test/mutation']);
  });

  it('has forms that ask for something, and lead vulnerabilities to a private report', async () => {
    const names = await readdir('.github/ISSUE_TEMPLATE');
    const forms = await Promise.all(
      names.filter((name) => name !== 'config.yml').map((name) => yaml(`ISSUE_TEMPLATE/${name}`)),
    );
    for (const { name, description, body } of forms) {
      expect([name, description].every((text) => typeof text === 'string')).toBe(true);
      expect(body.some((part: { validations?: object }) => part.validations !== undefined)).toBe(true);
    }
    expect(JSON.stringify(forms)).toContain('SECURITY.md');
  });
});

it('says of each package for Linux for which C library it is, so that npm installs one of two', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const unclear = Object.keys(packages).filter(
    (path) => /-linux-.*(?:-musl|-gnu$)/.test(path) && packages[path].libc === undefined,
  );
  expect(unclear).toEqual([]);
});
