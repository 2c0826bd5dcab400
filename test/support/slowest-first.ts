/** Starts slow test files first, so that no worker runs one alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Listed by hand, because Vitest would sort by file size, and these mostly wait for processes or a browser. */
const SLOWEST = [
  'delivery/crash',
  'browser/schedule',
  'browser/accessibility',
  'browser/page',
  'features/rights',
  'delivery/delivery',
  'features/os-token',
  'delivery/recipients',
  'features/connect',
  'features/watches',
  'slack/uninstall',
  'slack/server',
  'slack/hostile-requests',
  'features/threads',
  'tally',
  'sandbox/slack-launcher',
  'domain/long-texts',
  'browser/first-answer',
  'vault/reseal',
].map((name) => `/test/${name}.test.ts`);

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOWEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? SLOWEST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
