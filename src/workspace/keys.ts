export const recordKey = (workspace: string): string => `tally:workspace:${checked(workspace)}`;
export const auditKey = (workspace: string): string => `tally:audit:${checked(workspace)}`;
/** The lease of the process that refreshes the workspace's Slack token. */
export const refreshLockKey = (workspace: string): string => `tally:lock:refresh:${checked(workspace)}`;
/** The workspaces that an organisation's installation serves. */
export const membersKey = (organisation: string): string => `tally:org:${checked(organisation)}`;
/** Grants of the modals that show tokens. */
export const grantsKey = (workspace: string): string => `tally:handles:${checked(workspace)}`;
/** When each person got tokens lately. */
export const issuedKey = (workspace: string): string => `tally:issued:${checked(workspace)}`;
export const seenEventsKey = (workspace: string): string => `tally:heard:${checked(workspace)}`;
/** How each due date of its schedules ended. */
export const deliveryLogKey = (workspace: string): string => `tally:ledger:${checked(workspace)}`;
/** The lease of the run that delivers the workspace's posts. */
export const deliveryLockKey = (workspace: string): string => `tally:lock:deliver:${checked(workspace)}`;

/** Every key of a workspace. A key that is not in this list stays when the workspace leaves. */
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

/** IDs of Slack's teams and organisations have capitals and digits only; anything else could name another key. */
function checked(workspace: string): string {
  if (!/^[A-Z0-9]{1,64}$/.test(workspace)) throw new RangeError('Not the id of a Slack workspace.');
  return workspace;
}
