/** A test waits for what a person would see. */

const POLL_INTERVAL = 20;

/** Looks at every change, and now and then, for `look` may be about something else than this Slack. */
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
        const said = complaints.length > 0 ? ` Slack complained: ${complaints.join(' | ')}` : '';
        reject(new Error(`Nothing of the kind within ${ms} ms.${said}`));
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
