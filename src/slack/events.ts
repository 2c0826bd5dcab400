import type { App } from '@slack/bolt';
import { Throttled } from '../domain/failure/index.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { CommandInvocation } from './command-buttons.ts';
import { errorMessageOf } from './error-reply.ts';
import type { SlackEvent } from './listeners.ts';
import type { Origin } from './origin.ts';
import { ownValue } from './own-property.ts';
import { isDirectMessage } from './post-message.ts';
import type { ListenerContext } from './register-listeners.ts';
import { createRequest } from './request.ts';
import type { Ways } from './ways.ts';

/** What is written around an event. */
interface Envelope {
  /** Of what happens in a shared channel, `team_id` may be the other organisation; this is who has the app. */
  readonly authorizations?: readonly { readonly team_id?: string | null }[];
  readonly team_id?: string;
  readonly event_id?: string;
}

/** The Events API; Bolt has acknowledged by then. */
export function registerEvents(app: App, house: ListenerContext): void {
  const { listeners, admit, apology, runCommand, responder, heard, limits, clock, log } = house;

  app.event(/.*/, async ({ event, body, client, context }) => {
    const given = withoutNulls(event) as SlackEvent;
    const listener = ownValue(listeners.events, given.type);
    if (listener === undefined || listener.wants?.(given) === false) return;
    const envelope = body as Envelope;
    const where = originOfEvent(given, envelope, context.isFirst);
    if (where === undefined) return;
    const ways: Ways = { origin: where, client, responder, log };
    const at = clock();
    const aloud = isAlone(given) ? 'asker' : 'channel';
    let record: Workspace | undefined;
    const origin = {
      client,
      rerun: (rerun: CommandInvocation) => runCommand(ways, rerun, { at, aloud }, record),
    };
    try {
      limits.demand('requests', where);
      const { event_id: id } = envelope;
      if (listener.once && id !== undefined && !(await heard.first(where.teamId, id, at))) return;
      const admission = await admit(client, where, listener.right);
      if (admission === undefined) return;
      record = admission.workspace;
      await listener.run(given, createRequest(ways, admission, { at }), origin);
    } catch (error) {
      const told = apology.explain(error, given.type);
      if (error instanceof Throttled && limits.take('refusals', where) !== undefined) return;
      if (listener.sorry === undefined) return apology.say(ways, told);
      await listener.sorry(errorMessageOf(told), given, origin).catch(apology.lost);
    }
  });
}

/** What Slack says of nothing it leaves out, or says in so many words. */
const withoutNulls = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));

const isAlone = ({ channel }: SlackEvent): boolean => channel === undefined || isDirectMessage(channel);

function originOfEvent(
  event: SlackEvent,
  { authorizations, team_id }: Envelope,
  isFirst: Origin['isFirst'],
): Origin | undefined {
  const { user: person, user_team: home, channel, thread_ts: thread, ts } = event;
  const workspace = authorizations?.[0]?.team_id ?? team_id;
  if (workspace === undefined || person === undefined) return undefined;
  return {
    ...{ teamId: workspace, userId: person, homeTeamId: home, channel, thread },
    startsThread: isAlone(event) ? undefined : ts,
    ...{ responseUrl: undefined, triggerId: undefined, viewId: undefined, isFirst },
  };
}
