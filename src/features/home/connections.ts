import type { Button } from '@slack/types';
import { type Command, toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { askManagerButton } from '../../slack/error-messages/description.ts';
import { actions, type Block, button, buttonRow, escapeMarkup, markup } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { expiresSoon, formatExpiry } from '../../workspace/credentials/expiry.ts';
import { connectionStates } from '../../workspace/credentials/health.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

/** The most urgent problem with the connections, at the top of Home, with the button that fixes it; nothing if all work. */
export function attentionBlocks(request: Request): Block[] {
  const { workspace, at, user } = request;
  const { zone } = requireSettings(workspace);
  const all = connectionStates(workspace, at);
  /** @param todo completes “A Tally manager can” @param command what others can ask a manager to run */
  const warn = (fact: string, todo: string, fix: readonly Button[], command: Command): Block[] => {
    const warning = `:warning: *${escapeMarkup(fact)}*`;
    return user.canManage
      ? [markup(warning), actions(...fix)]
      : [markup(`${warning} A Tally manager can ${todo}.`), ...buttonRow(askManagerButton(command, request))];
  };
  const status = toCommand('/billing status');
  const seeStatus = (fact: string, todo: string) =>
    warn(fact, todo, commandButton('status', 'See what’s wrong', status), status);
  const replaceToken = (name: string, fact: string, todo: string) =>
    warn(
      fact,
      todo,
      [button('connect', 'Replace token…', { value: name })],
      toCommand('/billing connect', name),
    );

  const damaged = all.find(({ connection }) => connection === undefined);
  if (damaged !== undefined)
    return replaceToken(damaged.name, 'A billing connection is damaged.', 'replace its token');
  if (all.some(({ damage }) => damage !== undefined))
    return seeStatus('A billing connection doesn’t work.', 'see why');
  if (workspace.projects.some((project) => isConnectionMissing(project, workspace)))
    return seeStatus('A project uses a connection that no longer exists.', 'choose another one for it');
  if (all.length > 1 && workspace.defaultConnection === undefined)
    return seeStatus(
      'There is no default connection, so only projects with their own connection work.',
      'choose a default',
    );
  const [first] = all
    .flatMap(({ connection }) => connection ?? [])
    .filter((connection) => expiresSoon(connection, at, zone))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
  if (first === undefined) return [];
  return replaceToken(first.name, `A billing access token ${formatExpiry(first, at, zone)}.`, 'replace it');
}
