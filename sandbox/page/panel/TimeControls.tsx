import { useEffect, useState } from 'react';
import type { Skip } from '../../protocol.ts';
import { clock } from '../dates.ts';
import { useWorkspace } from '../workspace.ts';
import { useSkip } from './skip.ts';

/** Moves the sandbox's clock forward. */
export function TimeControls() {
  const { me, now } = useWorkspace();
  const skipTo = useSkip();
  const [time, setTime] = useState('09:00');
  const [isSkipping, setSkipping] = useState(false);
  const shown = useTicking(now);
  const skip = async (to: Skip) => {
    setSkipping(true);
    await skipTo(to);
    setSkipping(false);
  };
  const day = shown.toLocaleDateString(me.locale, {
    timeZone: me.tz,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return (
    <form
      className="modes time"
      aria-label="Time"
      onSubmit={(event) => {
        event.preventDefault();
        void skip({ time });
      }}
    >
      <h2>Time</h2>
      <p>
        It is <b>{clock(shown, me)}</b> on {day} in {me.tz}.
      </p>
      <p className="panel-actions">
        <input
          type="time"
          aria-label="Time to go to"
          required
          value={time}
          onChange={({ target }) => setTime(target.value)}
        />
        <button type="submit" disabled={isSkipping}>
          Skip to this time
        </button>
      </p>
      <p className="panel-actions">
        {SKIPS.map(({ label, hours }) => (
          <button key={label} type="button" disabled={isSkipping} onClick={() => void skip({ hours })}>
            {label}
          </button>
        ))}
      </p>
      <small>
        Watches are checked every hour. Skipping to a time stops five seconds before it; posts that are due
        then arrive within 30 seconds. Skip to the same time again for the next day.
      </small>
    </form>
  );
}

const SKIPS = [
  { label: 'Skip 1 hour', hours: 1 },
  { label: 'Skip 1 day', hours: 24 },
  { label: 'Skip 16 days', hours: 16 * 24 },
];

function useTicking(now: () => Date): Date {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 5_000);
    return () => clearInterval(timer);
  }, []);
  return now();
}
