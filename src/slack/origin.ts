/** What every payload of Slack's has in one place or another. */
export interface Origin {
  readonly teamId: string;
  readonly userId: string;
  /** The workspace the person belongs to, where the payload names it. */
  readonly homeTeamId: string | undefined;
  readonly channel: string | undefined;
  readonly responseUrl: string | undefined;
  readonly triggerId: string | undefined;
  /** The modal it came from. */
  readonly viewId: string | undefined;
  /** The thread it was said in. What is for one person alone is not shown in a thread that nobody has begun. */
  readonly thread: string | undefined;
  /** The message that it was said with, in a channel: a thread can begin there. */
  readonly startsThread: string | undefined;
  /** False for a request that somebody sent a second time, as it was; undefined where nobody can: in Socket Mode. */
  readonly isFirst: Promise<boolean> | undefined;
}

export interface Payload {
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly user_id?: string;
  readonly channel_id?: string;
  readonly team?: { readonly id?: string } | null;
  readonly enterprise?: { readonly id?: string } | null;
  readonly user?: { readonly id?: string; readonly team_id?: string };
  readonly channel?: { readonly id?: string };
  readonly view?: { readonly id?: string; readonly type?: string; readonly app_installed_team_id?: string };
  readonly container?: { readonly thread_ts?: string };
  readonly response_url?: string;
  readonly trigger_id?: string;
}

/** Where a payload comes from. A workspace or a person that it does not name is '': nobody is admitted from there. */
export function originOf(body: Payload, isFirst?: Origin['isFirst']): Origin {
  // A form that a member of another organisation sends names that one as its team, and ours in the view.
  const teamId =
    body.view?.app_installed_team_id ??
    body.team_id ??
    body.team?.id ??
    body.user?.team_id ??
    body.enterprise_id ??
    body.enterprise?.id ??
    '';
  const userId = body.user_id ?? body.user?.id ?? '';
  return {
    teamId,
    userId,
    homeTeamId: body.user?.team_id ?? undefined,
    channel: body.channel_id ?? body.channel?.id ?? undefined,
    responseUrl: body.response_url ?? undefined,
    triggerId: body.trigger_id ?? undefined,
    viewId: body.view?.type === 'home' ? undefined : (body.view?.id ?? undefined),
    thread: body.container?.thread_ts ?? undefined,
    startsThread: undefined,
    isFirst,
  };
}
