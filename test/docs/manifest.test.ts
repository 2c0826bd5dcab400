import { expect, it } from 'vitest';
import { createManifest, formatManifest } from '../../src/slack/install/manifest.ts';

const HEAD =
  '# What `tally manifest --url https://tally.example.com` prints. With your address or --socket it prints what to paste at\n# https://api.slack.com/apps, Create New App, From a manifest. `npm run docs` writes this file.\n';

it('manifest.yml is what `npm run docs` writes', async () => {
  const manifest = formatManifest(createManifest({ url: 'https://tally.example.com' }));
  await expect(`${HEAD}${manifest}`).toMatchFileSnapshot('../../manifest.yml');
});
