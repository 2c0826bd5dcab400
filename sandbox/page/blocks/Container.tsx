import type { ContainerBlock } from '@slack/types';
import type { ReactNode } from 'react';
import { ChevronIcon } from '../icons.tsx';
import { Display, Text } from './Display.tsx';

/** A box with a title, which can be collapsible. */
export function Container({ block, children }: { block: ContainerBlock; children: ReactNode }) {
  const { is_collapsible, default_collapsed = false, has_header_divider, width = 'standard' } = block;
  const className = `container ${width}`;
  if (!is_collapsible)
    return (
      <div className={has_header_divider ? `${className} divided` : className}>
        <div className="container-head">
          <Title block={block} />
        </div>
        <div className="container-body">{children}</div>
      </div>
    );
  return (
    <details className={className} open={!default_collapsed}>
      <summary className="container-head">
        <ChevronIcon size={16} />
        <Title block={block} />
      </summary>
      <div className="container-body">{children}</div>
    </details>
  );
}

/** Slack shows the rich title when a block has both. */
function Title({ block: { icon, title, rich_text_title: rich, subtitle } }: { block: ContainerBlock }) {
  return (
    <>
      {icon && 'image_url' in icon && (
        <img className="container-icon" src={icon.image_url} alt={icon.alt_text} />
      )}
      <span className="container-words">
        <span className="container-title">
          {rich ? <Display block={rich} /> : title && <Text text={title} />}
        </span>
        {subtitle && (
          <span className="container-subtitle">
            <Text text={subtitle} />
          </span>
        )}
      </span>
    </>
  );
}
