export const recordKey = (workspace: string): string => `tally:workspace:${checked(workspace)}`;
export const auditKey = (workspace: string): string => `tally:audit:${checked(workspace)}`;
/** Held by the one process that renews the workspace's Slack token. */
export const refreshLockKey = (workspace: string): string => `tally:lock:refresh:${checked(workspace)}`;
/** The workspaces that an organisation's installation serves. */
export const membersKey = (organisation: string): string => `tally:org:${checked(organisation)}`;
/** The halves in Redis of what the modals of tokens hold. */
export const grantsKey = (workspace: string): string => `tally:handles:${checked(workspace)}`;
/** When each person was issued tokens lately. */
export const issuedKey = (workspace: string): string => `tally:issued:${checked(workspace)}`;
export const seenEventsKey = (workspace: string): string => `tally:heard:${checked(workspace)}`;
/** How each due date of its schedules ended. */
export const deliveryLogKey = (workspace: string): string => `tally:ledger:${checked(workspace)}`;
/** Held by the one run that delivers the workspace's posts. */
export const deliveryLockKey = (workspace: string): string => `tally:lock:deliver:${checked(workspace)}`;

/** Whatever Redis holds of a workspace: a key that is not in this list outlives the workspace's leaving. */
export const keysOf = (workspace: string): readonly string[] =>
  [
    recordKey,
    auditKey,
    seenEventsKey,
    refreshLockKey,
    grantsKey,
    issuedKey,
    deliveryLogKey,
    deliveryLockKey,
  ].map((key) => key(workspace));

/** Slack's ids of teams and organisations are capitals and digits: anything else would name another key. */
function checked(workspace: string): string {
  if (!/^[A-Z0-9]{1,64}$/.test(workspace)) throw new RangeError('Not the id of a Slack workspace.');
  return workspace;
}
