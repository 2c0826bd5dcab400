import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';

/** Lets time pass until the viewer's clock shows this, `HH:MM`. */
export function useSkip(): (time: string) => Promise<void> {
  const { me, report } = useWorkspace();
  return async (time) => {
    const answer = await post('skip', { as: me.id, time });
    if (!answer.ok) report(sentenceOf(answer, 'Time did not pass.'));
  };
}
