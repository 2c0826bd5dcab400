import type { Datepicker, DateTimepicker, Timepicker } from '@slack/types';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';

/** A date, time or datetime picker, using the browser's inputs. */
export function Picker(props: ElementProps<Datepicker | Timepicker | DateTimepicker>) {
  const { element, label } = props;
  const { value, choose, disabled } = useElement(props);
  const placeholder = 'placeholder' in element ? element.placeholder?.text : undefined;
  const common = { className: 'field picker', 'aria-label': label ?? placeholder ?? element.type, disabled };
  switch (element.type) {
    case 'datepicker':
      return (
        <input
          type="date"
          {...common}
          value={value?.selected_date ?? ''}
          onChange={({ target }) => void choose({ selected_date: target.value || null })}
        />
      );
    case 'timepicker':
      return (
        <input
          type="time"
          {...common}
          value={value?.selected_time ?? ''}
          onChange={({ target }) => void choose({ selected_time: target.value || null })}
        />
      );
    default:
      return (
        <input
          type="datetime-local"
          {...common}
          value={localText(value?.selected_date_time)}
          onChange={({ target }) => void choose({ selected_date_time: secondsOf(target.value) })}
        />
      );
  }
}

/** Converts seconds since the epoch to the local time that the browser's input takes. */
function localText(seconds: number | null | undefined): string {
  if (seconds == null) return '';
  const instant = new Date(seconds * 1000);
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const secondsOf = (text: string) => (text ? Math.floor(new Date(text).getTime() / 1000) : null);
