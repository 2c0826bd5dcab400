/** Where a request comes from, as Slack's payload says it. */
export interface RequestSource {
  /** The workspace that has the app. */
  readonly teamId: string;
  readonly userId: string;
  /** The workspace the user belongs to, where the payload names it. */
  readonly homeTeamId: string | undefined;
  readonly channel: string | undefined;
  readonly responseUrl: string | undefined;
  /** Whether something was clicked in a message: then `replace_original` at the response_url replaces that one. */
  readonly isClick: boolean;
  readonly triggerId: string | undefined;
  /** The modal in which the user clicked or submitted; undefined for Home, which is a view but not a modal. */
  readonly viewId: string | undefined;
  /** `thread_ts` of the thread it was asked in. Ephemeral messages don't show in a thread that has no replies yet. */
  readonly thread: string | undefined;
  /** `ts` of the channel message that asked; a public answer starts a thread there. */
  readonly startsThread: string | undefined;
  /** Resolves with false for a replayed request; undefined in Socket Mode, where nobody can replay one. */
  readonly isFirst: Promise<boolean> | undefined;
}

/** The fields of commands, clicks, forms and option requests that say where they come from. */
export interface SlackPayload {
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly user_id?: string;
  readonly channel_id?: string;
  readonly team?: { readonly id?: string } | null;
  readonly enterprise?: { readonly id?: string } | null;
  readonly user?: { readonly id?: string; readonly team_id?: string };
  readonly channel?: { readonly id?: string };
  readonly view?: { readonly id?: string; readonly type?: string; readonly app_installed_team_id?: string };
  readonly container?: { readonly thread_ts?: string; readonly message_ts?: string };
  readonly response_url?: string;
  readonly trigger_id?: string;
}

/** @returns '' for a workspace or user that the payload doesn't name; `authorize` refuses both */
export function sourceOfPayload(payload: SlackPayload, isFirst?: RequestSource['isFirst']): RequestSource {
  // A form submitted by an external user names their workspace as `team`, and ours in the view.
  const teamId =
    payload.view?.app_installed_team_id ??
    payload.team_id ??
    payload.team?.id ??
    payload.user?.team_id ??
    payload.enterprise_id ??
    payload.enterprise?.id ??
    '';
  return {
    teamId,
    userId: payload.user_id ?? payload.user?.id ?? '',
    homeTeamId: payload.user?.team_id ?? undefined,
    channel: payload.channel_id ?? payload.channel?.id ?? undefined,
    responseUrl: payload.response_url ?? undefined,
    isClick: (payload.container?.message_ts ?? undefined) !== undefined,
    triggerId: payload.trigger_id ?? undefined,
    viewId: payload.view?.type === 'home' ? undefined : (payload.view?.id ?? undefined),
    thread: payload.container?.thread_ts ?? undefined,
    startsThread: undefined,
    isFirst,
  };
}
