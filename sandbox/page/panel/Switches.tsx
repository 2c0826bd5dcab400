import { useState } from 'react';
import type { Switch } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';

/** Sets how Slack, the services and the bot behave from the next request on. */
export function Switches() {
  const { snapshot } = useWorkspace();
  return snapshot.switches.map((fake) => <ServiceModes key={fake.service} service={fake} />);
}

function ServiceModes({ service }: { service: Switch }) {
  const { report } = useWorkspace();
  // Shows the choice at once, before the server confirms it.
  const [shown, setShown] = useState({ from: service.mode, to: service.mode });
  if (shown.from !== service.mode) setShown({ from: service.mode, to: service.mode });
  const set = async (mode: string) => {
    setShown({ from: service.mode, to: mode });
    const answer = await post('switch', { service: service.service, mode });
    if (answer.ok) return;
    setShown({ from: service.mode, to: service.mode });
    report(sentenceOf(answer, 'The mode did not change.'));
  };
  return (
    <fieldset className="modes">
      <legend>{service.service}</legend>
      {service.modes.map(({ mode, label, hint }) => (
        <label key={mode} className={shown.to === mode ? 'mode on' : 'mode'}>
          <input
            type="radio"
            name={`mode-${service.service}`}
            checked={shown.to === mode}
            onChange={() => void set(mode)}
          />
          <span>
            <b>{label}</b>
            <small>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
