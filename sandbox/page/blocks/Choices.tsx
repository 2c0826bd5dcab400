import type { Checkboxes, RadioButtons } from '@slack/types';
import { useId } from 'react';
import type { StateValue } from '../../protocol.ts';
import { Text } from './Display.tsx';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';

type Options = NonNullable<StateValue['selected_options']>;

/** Radio buttons and checkboxes. */
export function Choices(props: ElementProps<RadioButtons | Checkboxes>) {
  const { element, label } = props;
  const { value, choose, disabled } = useElement(props);
  const name = useId();
  const many = element.type === 'checkboxes';
  const options = element.options as Options;
  const chosen = many
    ? (value?.selected_options ?? [])
    : [value?.selected_option].filter((selected) => selected != null);
  const isChosen = (option: Options[number]) => chosen.some((selected) => selected.value === option.value);

  const toggle = (toggled: Options[number]) => {
    if (!many) return choose({ selected_option: toggled });
    // Slack sends the choices in the order of the options.
    return choose({
      selected_options: options.filter((option) => isChosen(option) !== (option.value === toggled.value)),
    });
  };
  return (
    <fieldset className="choices" aria-label={label} disabled={disabled}>
      {options.map((option, index) => {
        const described = element.options[index]?.description;
        return (
          <label key={option.value} className="choice">
            <input
              type={many ? 'checkbox' : 'radio'}
              name={name}
              checked={isChosen(option)}
              onChange={() => void toggle(option)}
            />
            <span>
              <Text text={option.text} />
              {described && <small>{described.text}</small>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
