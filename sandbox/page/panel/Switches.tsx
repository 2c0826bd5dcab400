import { useState } from 'react';
import type { Switch } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { useWorkspace } from '../workspace.ts';

/** How the played services behave from the next request on. */
export function Switches() {
  const { snapshot } = useWorkspace();
  return snapshot.switches.map((one) => <ServiceModes key={one.service} service={one} />);
}

function ServiceModes({ service }: { service: Switch }) {
  const { report } = useWorkspace();
  // The switch moves at once; the server's word comes a moment later and is the truth.
  const [shown, setShown] = useState({ from: service.mode, to: service.mode });
  if (shown.from !== service.mode) setShown({ from: service.mode, to: service.mode });
  const set = async (mode: string) => {
    setShown({ from: service.mode, to: mode });
    const answer = await post('switch', { service: service.service, mode });
    if (answer.ok) return;
    setShown({ from: service.mode, to: service.mode });
    report(sentenceOf(answer, 'The switch did not move.'));
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
