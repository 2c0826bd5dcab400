let sent = 0;

/** Makes each click unique, as in Slack; otherwise two clicks within a second would count as a replayed request. */
export const uniqueClick = () => ({ action_ts: `1.${String(++sent).padStart(6, '0')}` });
