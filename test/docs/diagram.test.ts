import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { drawDiagram } from '../../sandbox/pictures/diagram.ts';

const TEXT = 'sandbox/pictures/how-it-works.txt';

it('docs/pictures/how-it-works.svg is what `npm run docs` draws of its text', async () => {
  const drawing = drawDiagram(await readFile(TEXT, 'utf8'), 'How Tally works');
  await expect(drawing).toMatchFileSnapshot('../../docs/pictures/how-it-works.svg');
});

it.each(['Slack -> Tally: requests', 'a line that means nothing'])('a diagram refuses “%s”', (line) => {
  expect(() => drawDiagram(line, 'Nothing')).toThrow();
});
