/** What a check found. Bad: Tally would not start or not answer. Warning: it works now, and will fail one day. */
export interface Finding {
  readonly verdict: 'good' | 'warning' | 'bad';
  readonly about: string;
  readonly says: string;
  /** The operator's next step; absent when there is nothing to do. */
  readonly todo?: string;
}

export const okFinding = (about: string, says: string): Finding => ({ verdict: 'good', about, says });

export const warningFinding = (about: string, says: string, todo: string): Finding => ({
  verdict: 'warning',
  about,
  says,
  todo,
});

export const failedFinding = (about: string, says: string, todo: string): Finding => ({
  verdict: 'bad',
  about,
  says,
  todo,
});

/** @returns an error's code or name, never its message: that may quote what was sent */
export function reasonText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  if (cause instanceof Error) return reasonText(cause);
  // Redis puts its code first: `NOAUTH Authentication required.`
  const replyCode = /^([A-Z]{3,})\b/.exec(error.message)?.[1];
  if (error.name === 'ReplyError' && replyCode !== undefined) return replyCode;
  return error.name === 'Error' ? 'no reason given' : error.name;
}

/** Outside text for a terminal. @returns at most 200 characters, without control and format characters */
export function toPlainLine(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, 200);
}
