let sent = 0;

/** Slack sends no two clicks alike; what a test sends twice within a second would be the same request come again. */
export const unlike = () => ({ action_ts: `1.${String(++sent).padStart(6, '0')}` });
