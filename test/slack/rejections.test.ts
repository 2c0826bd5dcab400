import { expect, it } from 'vitest';
import { createLog } from '../../src/ops/log.ts';
import { createRejectionLog } from '../../src/slack/server/http-rejections.ts';

it('a flood of rejected requests writes a line a minute, which says how many it stands for', () => {
  const lines: string[] = [];
  let now = 0;
  const rejected = createRejectionLog(
    createLog('info', { write: (line) => void lines.push(line) }),
    () => now,
  );
  for (; now < 120_000; now += 10) rejected('wrong-signature');
  rejected('wrong-signature');
  expect(lines.map((line) => JSON.parse(line).requests)).toEqual([1, 6_000, 6_000]);
  rejected('unsigned');
  rejected('outdated');
  expect(lines).toHaveLength(4);
});
