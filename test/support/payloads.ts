let sent = 0;

/** Makes each click unique, as Slack's are; otherwise two clicks within a second would count as one replayed request. */
export const unlike = () => ({ action_ts: `1.${String(++sent).padStart(6, '0')}` });
