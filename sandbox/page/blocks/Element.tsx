import { Button } from './Button.tsx';
import { Choices } from './Choices.tsx';
import type { ElementProps } from './form.ts';
import { Overflow } from './Overflow.tsx';
import { Picker } from './Picker.tsx';
import { Select } from './Select.tsx';
import { TextInput } from './TextInput.tsx';

/** Any interactive element. */
export function Element(props: ElementProps) {
  const { element, ...rest } = props;
  switch (element.type) {
    case 'button':
      return <Button element={element} {...rest} />;
    case 'overflow':
      return <Overflow element={element} {...rest} />;
    case 'radio_buttons':
    case 'checkboxes':
      return <Choices element={element} {...rest} />;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return <Picker element={element} {...rest} />;
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return <TextInput element={element} {...rest} />;
    case 'image':
      return 'image_url' in element ? (
        <img className="accessory-image" src={element.image_url} alt={element.alt_text} />
      ) : null;
    case 'workflow_button':
    case 'file_input':
    case 'rich_text_input':
      return <span className="unsupported">The sandbox doesn’t support {element.type}.</span>;
    default:
      return <Select element={element} {...rest} />;
  }
}
