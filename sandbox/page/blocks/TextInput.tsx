import type { EmailInput, NumberInput, PlainTextInput, URLInput } from '@slack/types';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';

type TextElement = PlainTextInput | EmailInput | URLInput | NumberInput;

/** The pause in typing after which `on_character_entered` is sent. */
const TYPING_MS = 300;
const MODES = { email_text_input: 'email', url_text_input: 'url', number_input: 'decimal' } as const;

export function TextInput(props: ElementProps<TextElement>) {
  const { element, label, dispatches } = props;
  const { value, keep, send, disabled } = useElement(props);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(typing.current), []);
  const triggers = dispatches
    ? (element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'])
    : [];
  const text = value?.value ?? '';

  const onChange = (entered: string) => {
    const chosen = { value: entered === '' ? null : entered };
    const values = keep(chosen);
    clearTimeout(typing.current);
    if (triggers.includes('on_character_entered')) {
      typing.current = setTimeout(() => void send(chosen, values), TYPING_MS);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || !triggers.includes('on_enter_pressed')) return;
    event.preventDefault();
    void send({ value: value?.value ?? null });
  };
  const common = {
    className: 'field',
    'aria-label': label ?? element.placeholder?.text ?? 'Text',
    placeholder: element.placeholder?.text,
    'data-focus': element.focus_on_load || undefined,
    disabled,
    value: text,
    spellCheck: false,
    autoComplete: 'off',
    onKeyDown,
  };
  const max = element.type === 'plain_text_input' ? element.max_length : undefined;
  const left = max === undefined ? undefined : max - text.length;
  return (
    <div className="text-input">
      {element.type === 'plain_text_input' && element.multiline ? (
        <textarea {...common} rows={4} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={element.type === 'plain_text_input' ? 'text' : MODES[element.type]}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {left !== undefined && left < 20 && <span className={left < 0 ? 'count over' : 'count'}>{left}</span>}
    </div>
  );
}
