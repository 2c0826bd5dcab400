import { commandText } from '../../domain/commands.ts';
import {
  actions,
  type Block,
  button,
  confirmDialog,
  context,
  escapeMarkup,
  type Message,
  option,
  questionMessage,
  section,
  select,
} from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import { describeConnection } from './blocks.ts';

const KEEP = button('keep', 'Keep');
/** The rest is counted. */
const MOST_NAMED = 20;

export function chooseConnectionMessage(names: readonly string[]): Message {
  const options = names.map((name) => option(name, name));
  return questionMessage(
    'Disconnect which connection?',
    actions(select('disconnect-ask', 'Connection', options), KEEP),
  );
}

export function chooseDefaultMessage(name: string, heirs: readonly string[]): Message {
  const options = heirs.map((heir) => option(heir, `${name} ${heir}`));
  return questionMessage(
    `Disconnect ${name}?`,
    section(`${name} is the default connection. Choose the new default.`),
    actions(select('disconnect-heir', 'New default', options), KEEP),
  );
}

type Asked = Pick<Request, 'workspace' | 'at'>;

export function confirmDisconnectMessage(
  name: string,
  heir: string | undefined,
  { workspace, at }: Asked,
  stops: readonly Block[],
): Message {
  const connection = workspace.connections.get(name);
  const zone = workspace.settings.zone;
  const isLast = workspace.connectionNames.length === 1;
  const effects = [
    ...(isLast ? [] : orphans(name, workspace)),
    ...(heir === undefined ? [] : [inherits(heir)]),
  ];
  return questionMessage(
    isLast ? 'Disconnect Tally from the billing service?' : `Disconnect ${name}?`,
    section(
      'Tally deletes its copy of the token. The token still works until it expires. Delete it in the console too.',
    ),
    ...effects.map(section),
    ...stops,
    context(
      connection ? escapeMarkup(describeConnection(connection, at, zone)) : `${name} · the record is damaged`,
    ),
    actions(
      button('disconnect', 'Disconnect', {
        style: 'danger',
        value: [name, connection?.fingerprint ?? '-', heir].filter(Boolean).join(' '),
        confirm: confirmDialog(
          'Disconnect?',
          isLast ? NOBODY : `Nobody will be able to use ${name}.`,
          'Disconnect',
          'Keep',
        ),
      }),
      KEEP,
    ),
  );
}

const NOBODY = 'Nobody in this workspace can use Tally until you reconnect.';

const inherits = (heir: string): string => `${heir} becomes the default connection.`;

/** Projects with this connection don't fall back to another one. */
function orphans(name: string, record: Workspace): string[] {
  const aliases = record.projects.filter(({ connection }) => connection === name);
  if (aliases.length === 0) return [];
  const named = aliases.slice(0, MOST_NAMED).map(({ alias }) => alias);
  const more = aliases.length > MOST_NAMED ? [`${aliases.length - MOST_NAMED} more`] : [];
  return [
    `These projects use ${name}: ${[...named, ...more].join(', ')}. They give no figures until you choose another connection in ${commandText('/billing projects')}.`,
  ];
}

export function disconnectedText(name: string, heir: string | undefined): string {
  const gone = `Disconnected. Tally deleted its copy of the token for ${name}.`;
  return heir === undefined ? gone : `${gone} The default connection is now ${heir}.`;
}
