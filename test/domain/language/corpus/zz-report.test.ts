import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { judge, readExpectations } from './expectation.ts';
import { outcomeOf, outcomeOfFollowUp } from './outcome.ts';

it('reports', async () => {
  const lines: string[] = [];
  const show = (o: any) => ('runs' in o ? o.runs : `offers ${o.offers.join(' · ')}`);
  let n = 0;
  for (const e of readExpectations('questions.md')) {
    n++;
    let o: any;
    try {
      o = outcomeOf(e.text);
    } catch (x: any) {
      o = { runs: `ERR ${x.stack.slice(0, 300)}` };
    }
    if (!/^(right|offered well)$/.test(judge(e, o)))
      lines.push(
        `${e.text.replaceAll('\n', '⏎')} → ${e.kind}: ${e.commands.join(' · ')}\n      got: ${show(o)}`,
      );
  }
  for (const e of readExpectations('follow-ups.md')) {
    n++;
    const [a = '', t = ''] = e.text.split(' | ');
    let o: any;
    try {
      o = await outcomeOfFollowUp(a, t);
    } catch (x: any) {
      o = { runs: `ERR ${x.stack.slice(0, 300)}` };
    }
    if (!/^(right|offered well)$/.test(judge(e, o)))
      lines.push(`${e.text} → ${e.kind}: ${e.commands.join(' · ')}\n      got: ${show(o)}`);
  }
  writeFileSync('/tmp/questions/report.txt', lines.join('\n') + `\n${lines.length} of ${n} fail`);
}, 120000);
