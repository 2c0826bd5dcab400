/** Draws blocks: charts and rich text with a library, everything else here. */
import type { InputBlock, KnownBlock, TableBlock } from '@slack/types';
import { memo, useMemo } from 'react';
import { type Block as LibraryBlock, Message, type MessageProps } from 'slack-blocks-to-jsx';
import { fillDate } from './dates.ts';
import { Element } from './elements.tsx';
import { type AnyElement, blockIdOf, useSurface } from './form.ts';
import { Text } from './mrkdwn.tsx';
import { useWorkspace } from './workspace.tsx';

export const Blocks = memo(function Blocks({ blocks }: { blocks: KnownBlock[] }) {
  return (
    <div className="blocks">
      {blocks.map((block, index) => (
        <div key={blockIdOf(block, index)} className={`block-${block.type}`}>
          <OneBlock block={block} blockId={blockIdOf(block, index)} />
        </div>
      ))}
    </div>
  );
});

function OneBlock({ block, blockId }: { block: KnownBlock; blockId: string }) {
  switch (block.type) {
    case 'header':
      return (
        <h3>
          <Text text={block.text} />
        </h3>
      );
    case 'section':
      return (
        <>
          {block.text && <Text text={block.text} />}
          {block.accessory && (
            <Element element={block.accessory as AnyElement} blockId={blockId} dispatches />
          )}
        </>
      );
    case 'context':
      return block.elements.map((element, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: elements have no other name
        element.type === 'image' ? null : <Text key={index} text={element} />,
      );
    case 'actions':
      return block.elements.map((element, index) => (
        <Element key={element.action_id ?? index} element={element} blockId={blockId} dispatches />
      ));
    case 'input':
      return <Input block={block} blockId={blockId} />;
    case 'table':
      return <Table block={block} />;
    case 'container':
      return (
        <details className="container" open={!block.default_collapsed}>
          <summary>{block.title?.text}</summary>
          <Blocks blocks={block.child_blocks as KnownBlock[]} />
        </details>
      );
    default:
      return <Library block={block} />;
  }
}

function Input({ block, blockId }: { block: InputBlock; blockId: string }) {
  const error = useSurface().errors[blockId];
  const { label, hint, element, optional = false, dispatch_action: dispatches = false } = block;
  return (
    <div className={error ? 'wrong' : undefined}>
      <div className="input-label" aria-hidden="true">
        {label.text}
        {optional && <small> (optional)</small>}
      </div>
      <Element
        element={element}
        blockId={blockId}
        dispatches={dispatches}
        label={label.text}
        optional={optional}
      />
      {error && (
        <p className="input-error" role="alert">
          {error}
        </p>
      )}
      {hint && <p className="input-hint">{hint.text}</p>}
    </div>
  );
}

function Table({ block }: { block: TableBlock }) {
  const [head = [], ...rows] = block.rows;
  const cells = (row: TableBlock['rows'][number], Tag: 'th' | 'td') =>
    row.map((cell, column) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
      <Tag key={column} style={{ textAlign: block.column_settings?.[column]?.align ?? 'left' }}>
        {'text' in cell ? cell.text : <Library block={cell} />}
      </Tag>
    ));
  return (
    <table>
      <thead>
        <tr>{cells(head, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <tr key={index}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  );
}

const Library = memo(function Library({ block }: { block: KnownBlock }) {
  const { snapshot, me, now } = useWorkspace();
  const { people, channels, bot } = snapshot;
  const data = useMemo(
    () => ({
      users: [...people.map(({ id, realName: name }) => ({ id, name })), { id: bot.userId, name: bot.name }],
      channels: channels.map(({ id, name }) => ({ id, name })),
    }),
    [people, channels, bot],
  );
  const hooks: MessageProps['hooks'] = {
    date: ({ timestamp, format }) => <span>{fillDate(format, Number(timestamp), me, now())}</span>,
  };
  // The library uses block IDs as element IDs, but two messages can share a block ID.
  const { block_id: _, ...shown } = block;
  return (
    // The library reads its props only once, so another viewer needs a new instance.
    <Message
      key={me.id}
      withoutWrapper
      name=""
      logo=""
      blocks={[shown as LibraryBlock]}
      data={data}
      hooks={hooks}
    />
  );
});
