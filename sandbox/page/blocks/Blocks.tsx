import type { KnownBlock } from '@slack/types';
import { memo } from 'react';
import { Container } from './Container.tsx';
import { DataTable } from './DataTable.tsx';
import { Display } from './Display.tsx';
import { Element } from './Element.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { blockIdOf } from './form.ts';
import { Input } from './Input.tsx';
import { Alert, Context, Header, Section, Table } from './SimpleBlocks.tsx';

/** Renders blocks: rich text, charts and images by the library, the others by this page. */
export const Blocks = memo(function Blocks({ blocks }: { blocks: KnownBlock[] }) {
  return (
    <div className="blocks">
      {blocks.map((block, index) => {
        const blockId = blockIdOf(block, index);
        return (
          <div key={blockId} className={`block block-${block.type}`}>
            <ErrorBoundary what={block.type}>
              <OneBlock block={block} blockId={blockId} />
            </ErrorBoundary>
          </div>
        );
      })}
    </div>
  );
});

function OneBlock({ block, blockId }: { block: KnownBlock; blockId: string }) {
  switch (block.type) {
    case 'actions':
      return (
        <div className="actions-row">
          {block.elements.map((element, index) => (
            <Element key={element.action_id ?? index} element={element} blockId={blockId} dispatches />
          ))}
        </div>
      );
    case 'input':
      return <Input block={block} blockId={blockId} />;
    case 'section':
      return <Section block={block} blockId={blockId} />;
    case 'header':
      return <Header block={block} />;
    case 'context':
      return <Context block={block} />;
    case 'alert':
      return <Alert block={block} />;
    case 'table':
      return <Table block={block} />;
    case 'data_table':
      return <DataTable block={block} />;
    case 'container':
      return (
        <Container block={block}>
          <Blocks blocks={block.child_blocks as KnownBlock[]} />
        </Container>
      );
    default:
      return <Display block={block} />;
  }
}
