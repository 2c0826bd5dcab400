/** Lets a test wait for what a person sees. */

const POLL_INTERVAL = 20;

/** Checks at every change, and every 20 ms because `look` may read something outside this Slack. */
export async function waitFor<T>(
  onChange: (listener: () => void) => () => void,
  look: () => T | undefined | null | false,
  ms: number,
  complaints: readonly string[],
): Promise<T> {
  const releases: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      const check = () => {
        try {
          const seen = look();
          if (seen !== undefined && seen !== null && seen !== false) resolve(seen);
        } catch (error) {
          reject(error);
        }
      };
      const giveUp = () => {
        const details = complaints.length > 0 ? ` Slack complained: ${complaints.join(' | ')}` : '';
        reject(new Error(`Timed out after ${ms} ms.${details}`));
      };
      const poll = setInterval(check, POLL_INTERVAL);
      const deadline = setTimeout(giveUp, ms);
      releases.push(
        onChange(check),
        () => clearInterval(poll),
        () => clearTimeout(deadline),
      );
      check();
    });
  } finally {
    for (const release of releases) release();
  }
}
