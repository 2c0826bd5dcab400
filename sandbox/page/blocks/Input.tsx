import type { InputBlock } from '@slack/types';
import { Element } from './Element.tsx';
import { useSurface } from './surface.ts';

export function Input({ block, blockId }: { block: InputBlock; blockId: string }) {
  const error = useSurface().errors[blockId];
  return (
    <div className={error ? 'input-block wrong' : 'input-block'}>
      <div className="input-label" aria-hidden="true">
        {block.label.text}
        {block.optional && <span className="optional"> (optional)</span>}
      </div>
      <Element
        element={block.element}
        blockId={blockId}
        dispatches={block.dispatch_action ?? false}
        label={block.label.text}
        optional={block.optional ?? false}
      />
      {error && (
        <p className="input-error" role="alert">
          {error}
        </p>
      )}
      {block.hint && <p className="input-hint">{block.hint.text}</p>}
    </div>
  );
}
