import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { describeConnection } from '../../workspace/credentials/connection-record.ts';
import { isExpiryUnknown } from '../../workspace/credentials/expiry.ts';
import { type Block, button, compact, context, escapeMarkup, header, section } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

export const CONNECT_TITLE = 'Connect billing';

/** A connection that was tested with a project and saved: what the form's next view needs. */
export interface TestedConnection {
  readonly connection: string;
  /** Where the form was opened; '' for nowhere. */
  readonly channel: SlackId;
  readonly project: string;
  /** Those that have data for the project. */
  readonly products: readonly ProductId[];
  /** The first answer: plain text. */
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * @param request with the record that has the connection
 * @param next what to do from here
 */
export function connectedBlocks(
  { connection: name, title, lines }: Pick<TestedConnection, 'connection' | 'title' | 'lines'>,
  { workspace, at }: Pick<Request, 'workspace' | 'at'>,
  next: readonly Block[],
): Block[] {
  const connection = workspace.connections.get(name);
  return [
    header(title),
    ...lines.map(section),
    ...next,
    ...(connection === undefined
      ? []
      : compact([
          context(escapeMarkup(`Connected: ${describeConnection(connection, at, workspace.settings.zone)}`)),
          isExpiryUnknown(connection) && expiryUnknownBlock(name),
        ])),
  ];
}

const expiryUnknownBlock = (name: string): Block => ({
  ...section('Say when the token expires, and Tally reminds you before.'),
  accessory: button('connection-expiry', 'Set expiry…', { value: name }),
});
