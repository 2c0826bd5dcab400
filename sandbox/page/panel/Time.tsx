import { type FormEvent, useEffect, useState } from 'react';
import { post, sentenceOf } from '../api.ts';
import { clock } from '../dates.ts';
import { useWorkspace } from '../workspace.ts';

/** Nobody wants to wait for nine o'clock to see what happens then. */
export function Time() {
  const { me, now, report } = useWorkspace();
  const [time, setTime] = useState('09:00');
  const [isPassing, setPassing] = useState(false);
  const shown = useTicking(now);
  const skip = async (event: FormEvent) => {
    event.preventDefault();
    setPassing(true);
    const answer = await post('skip', { as: me.id, time });
    setPassing(false);
    if (!answer.ok) report(sentenceOf(answer, 'Time did not pass.'));
  };
  const day = shown.toLocaleDateString(me.locale, {
    timeZone: me.tz,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return (
    <form className="modes time" aria-label="Time" onSubmit={(event) => void skip(event)}>
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
        <button type="submit" disabled={isPassing}>
          Skip to this time
        </button>
      </p>
      <small>Goes to five seconds before it. Scheduled posts follow within half a minute.</small>
    </form>
  );
}

function useTicking(now: () => Date): Date {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 5_000);
    return () => clearInterval(timer);
  }, []);
  return now();
}
