import type { AlertBlock, ContextBlock, HeaderBlock, SectionBlock, TableBlock } from '@slack/types';
import { useMemo } from 'react';
import { WarningIcon } from '../icons.tsx';
import { Display, Text } from './Display.tsx';
import { Element } from './Element.tsx';
import { literal } from './mrkdwn.ts';

export function Header({ block }: { block: HeaderBlock }) {
  return (
    <h3 className="header-text">
      <Text text={block.text} />
    </h3>
  );
}

export function Section({ block, blockId }: { block: SectionBlock; blockId: string }) {
  const { text, fields, accessory } = block;
  return (
    <div className="section-row">
      <div className="section-text">
        {text && <Text text={text} />}
        {fields && (
          <div className="fields">
            {fields.map((field, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: fields have no other name
              <Text key={index} text={field} />
            ))}
          </div>
        )}
      </div>
      {accessory && <Element element={accessory} blockId={blockId} dispatches />}
    </div>
  );
}

export function Context({ block }: { block: ContextBlock }) {
  return (
    <div className="context-row">
      {block.elements.map((element, index) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: elements have no other name
        if (element.type !== 'image') return <Text key={index} text={element} />;
        return 'image_url' in element ? (
          <img key={index} src={element.image_url} alt={element.alt_text} />
        ) : null;
        // biome-ignore-end lint/suspicious/noArrayIndexKey: elements have no other name
      })}
    </div>
  );
}

export function Alert({ block }: { block: AlertBlock }) {
  return (
    <div className={`alert ${block.level ?? 'default'}`} role="status">
      <WarningIcon size={18} />
      <Text text={block.text} />
    </div>
  );
}

/** The library parses raw cells as Markdown, so they are passed as rich text. */
export function Table({ block }: { block: TableBlock }) {
  const drawn = useMemo(
    () => ({
      ...block,
      rows: block.rows.map((row) =>
        row.map((cell) => (cell.type === 'rich_text' ? cell : literal(cell.text))),
      ),
    }),
    [block],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen the arrow keys scroll it
    <div tabIndex={0}>
      <Display block={drawn} />
    </div>
  );
}
