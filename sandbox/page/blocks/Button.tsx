import type { Button as ButtonElement } from '@slack/types';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';

export function Button(props: ElementProps<ButtonElement>) {
  const { element } = props;
  const { press, sending, disabled } = useElement(props);
  const onClick = () => {
    if (element.url && /^https?:/i.test(element.url))
      window.open(element.url, '_blank', 'noopener,noreferrer');
    void press({
      text: element.text,
      ...(element.value !== undefined && { value: element.value }),
      ...(element.style && { style: element.style }),
    });
  };
  return (
    <button
      type="button"
      className={`button ${element.style ?? ''}`}
      aria-label={element.accessibility_label}
      aria-busy={sending}
      disabled={disabled || sending}
      onClick={onClick}
    >
      {element.text.text}
    </button>
  );
}
