import type { Skip } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';

/** Returns a function that moves the sandbox's clock forward. */
export function useSkip(): (to: Skip) => Promise<void> {
  const { me, report } = useWorkspace();
  return async (to) => {
    const answer = await post('skip', { as: me.id, to });
    if (!answer.ok) report(sentenceOf(answer, 'The clock did not change.'));
  };
}
