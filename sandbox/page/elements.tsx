/** The interactive elements that Tally sends, drawn with the browser's own controls. */
import { useId, useRef, useState } from 'react';
import type { Snapshot } from '../protocol.ts';
import { post, sentenceOf } from './api.ts';
import { type AnyElement, type ElementProps, useElement, useSurface } from './form.ts';
import { Text } from './mrkdwn.tsx';
import { Icon, useWorkspace } from './workspace.tsx';

type Props<T extends string> = ElementProps<Extract<AnyElement, { type: T }>>;

export function Element({ element, ...rest }: ElementProps) {
  switch (element.type) {
    case 'button':
      return <Button element={element} {...rest} />;
    case 'overflow':
      return <Overflow element={element} {...rest} />;
    case 'checkboxes':
      return <Checkboxes element={element} {...rest} />;
    case 'datepicker':
    case 'timepicker':
      return <Picker element={element} {...rest} />;
    case 'plain_text_input':
      return <TextInput element={element} {...rest} />;
    case 'static_select':
    case 'users_select':
    case 'conversations_select':
      return <Select element={element} {...rest} />;
    case 'external_select':
      return <ExternalSelectBox element={element} {...rest} />;
    case 'multi_external_select':
    case 'multi_users_select':
    case 'multi_conversations_select':
      return <MultiSelect element={element} {...rest} />;
    default:
      return <span className="unsupported">The sandbox doesn’t show {element.type}.</span>;
  }
}

function Button(props: Props<'button'>) {
  const { text, value, style } = props.element;
  const { press, isSending } = useElement(props);
  return (
    <button
      type="button"
      className={`button ${style ?? ''}`}
      aria-busy={isSending}
      disabled={isSending}
      onClick={() => void press({ text, ...(value !== undefined && { value }), ...(style && { style }) })}
    >
      {text.text}
    </button>
  );
}

function Overflow(props: Props<'overflow'>) {
  const { press, isSending } = useElement(props);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="button"
        aria-label="More actions"
        aria-busy={isSending}
        popoverTarget={id}
      >
        ⋯
      </button>
      <div id={id} popover="auto" className="menu">
        {props.element.options.map((option) => (
          <button
            key={option.value ?? option.text.text}
            type="button"
            popoverTarget={id}
            popoverTargetAction="hide"
            onClick={() => void press({ selected_option: option })}
          >
            {option.text.text}
          </button>
        ))}
      </div>
    </>
  );
}

function Checkboxes(props: Props<'checkboxes'>) {
  const { element, label } = props;
  const { value, choose } = useElement(props);
  const chosen = value as Option[];
  const isChosen = (option: { value?: string }) => chosen.some((other) => other.value === option.value);
  return (
    <fieldset className="choices" aria-label={label}>
      {element.options.map((option) => (
        <label key={option.value}>
          <input
            type="checkbox"
            checked={isChosen(option)}
            // Slack sends the choices in the order of the options.
            onChange={() =>
              void choose(element.options.filter((each) => isChosen(each) !== (each.value === option.value)))
            }
          />
          <span>
            <Text text={option.text} />
            {option.description && <small>{option.description.text}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Picker(props: Props<'datepicker' | 'timepicker'>) {
  const { value, choose } = useElement(props);
  return (
    <input
      type={props.element.type === 'datepicker' ? 'date' : 'time'}
      className="field"
      aria-label={props.label}
      value={(value as string | null) ?? ''}
      onChange={({ target }) => void choose(target.value || null)}
    />
  );
}

function TextInput(props: Props<'plain_text_input'>) {
  const { element, dispatches } = props;
  const { value, keep, send } = useElement(props);
  return (
    <input
      type="text"
      className="field"
      aria-label={props.label}
      placeholder={element.placeholder?.text}
      maxLength={element.max_length}
      autoComplete="off"
      value={(value as string | null) ?? ''}
      onChange={({ target }) => keep(target.value || null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !dispatches) return;
        event.preventDefault();
        void send({ value });
      }}
    />
  );
}

interface Option {
  text: { text: string };
  value?: string;
  description?: { text: string };
}

function placesIn({ people, channels }: Snapshot, element: AnyElement): Option[] {
  if (element.type === 'users_select' || element.type === 'multi_users_select')
    return people.map(({ id, realName }) => ({ value: id, text: { text: realName } }));
  const kinds = 'filter' in element ? element.filter?.include : undefined;
  return channels
    .filter(({ kind }) => kinds?.includes(kind) ?? true)
    .map(({ id, kind, name }) => ({ value: id, text: { text: kind === 'im' ? name : `#${name}` } }));
}

const optionTag = ({ text, value = '', description }: Option) => (
  <option key={value} value={value}>
    {description ? `${text.text} · ${description.text}` : text.text}
  </option>
);

function Select(props: Props<'static_select' | 'users_select' | 'conversations_select'>) {
  const { element } = props;
  const { snapshot } = useWorkspace();
  const { value, choose, isSending } = useElement(props);
  const isStatic = element.type === 'static_select';
  const options: Option[] = isStatic ? (element.options ?? []) : placesIn(snapshot, element);
  const groups = isStatic ? (element.option_groups ?? []) : [];
  const all = [...options, ...groups.flatMap((group) => group.options)];
  const chosen = isStatic ? (value as Option | null)?.value : (value as string | null);
  const placeholder = element.placeholder?.text ?? 'Choose an option';
  return (
    <select
      className="field"
      aria-label={props.label ?? placeholder}
      value={chosen ?? ''}
      disabled={isSending}
      onChange={({ target }) => {
        const option = all.find((each) => each.value === target.value) ?? null;
        void choose(isStatic ? option : (option?.value ?? null));
      }}
    >
      {(!chosen || props.optional) && (
        <option value="" hidden={!props.optional}>
          {placeholder}
        </option>
      )}
      {options.map(optionTag)}
      {groups.map((group) => (
        <optgroup key={group.label.text} label={group.label.text}>
          {group.options.map(optionTag)}
        </optgroup>
      ))}
    </select>
  );
}

function ExternalSelectBox(props: Props<'external_select'>) {
  const { value, choose } = useElement(props);
  return (
    <Search
      {...props}
      shown={(value as Option | null)?.text.text ?? ''}
      onChoose={(one) => void choose(one)}
    />
  );
}

interface SearchProps extends Props<'external_select' | 'multi_external_select'> {
  shown: string;
  onChoose(option: Option): void;
}

/** A search field. Enter chooses the suggestion whose name was typed, or the first one. */
function Search({ element, blockId, label, shown, onChoose }: SearchProps) {
  const { me, report } = useWorkspace();
  const { surfaceRef } = useSurface();
  const [typed, setTyped] = useState<string>();
  const [found, setFound] = useState<Option[]>([]);
  const latest = useRef(0);
  const listId = useId();
  const search = async (value: string): Promise<Option[]> => {
    latest.current += 1;
    const question = latest.current;
    const actionId = element.action_id ?? '';
    const answer = await post('suggest', { as: me.id, surface: surfaceRef, blockId, actionId, value });
    if (!answer.ok) report(sentenceOf(answer));
    const options = (answer.options ?? []) as Option[];
    if (question === latest.current) setFound(options);
    return options;
  };
  const choose = (option: Option | undefined) => {
    setTyped(undefined);
    if (option) onChoose(option);
  };
  const named = (text: string, options: Option[]) => options.find((option) => option.text.text === text);
  return (
    <>
      <input
        type="text"
        className="field"
        list={listId}
        aria-label={label}
        placeholder={element.placeholder?.text}
        autoComplete="off"
        value={typed ?? shown}
        onFocus={({ target }) => {
          target.select();
          void search('');
        }}
        onChange={({ target, nativeEvent }) => {
          // A click on a suggestion replaces the whole text.
          if ((nativeEvent as InputEvent).inputType === 'insertReplacementText')
            return choose(named(target.value, found));
          setTyped(target.value);
          void search(target.value);
        }}
        onKeyDown={async (event) => {
          if (event.key !== 'Enter' || !typed) return;
          event.preventDefault();
          const options = await search(typed);
          choose(named(typed, options) ?? options[0]);
        }}
        onBlur={() => setTyped(undefined)}
      />
      <datalist id={listId}>
        {found.map(({ text, value, description }) => (
          <option key={value} value={text.text} label={description?.text} />
        ))}
      </datalist>
    </>
  );
}

function MultiSelect(
  props: Props<'multi_external_select' | 'multi_users_select' | 'multi_conversations_select'>,
) {
  const { element, label } = props;
  const { snapshot } = useWorkspace();
  const { value, choose } = useElement(props);
  const isExternal = element.type === 'multi_external_select';
  const places = isExternal ? [] : placesIn(snapshot, element);
  const placeOf = (id: string) =>
    places.find((place) => place.value === id) ?? { text: { text: id }, value: id };
  const chosen = isExternal ? (value as Option[]) : (value as string[]).map(placeOf);
  const isChosen = (option: Option) => chosen.some((other) => other.value === option.value);
  const set = (options: Option[]) =>
    void choose(isExternal ? options : options.map((each) => each.value ?? ''));
  const add = (option: Option | undefined) => option && !isChosen(option) && set([...chosen, option]);
  const placeholder = element.placeholder?.text ?? 'Add…';
  return (
    <div className="field many">
      {chosen.map((option) => (
        <span key={option.value} className="token">
          {option.text.text}
          <button
            type="button"
            aria-label={`Remove ${option.text.text}`}
            onClick={() => set(chosen.filter((other) => other !== option))}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      {chosen.length < (element.max_selected_items ?? Number.POSITIVE_INFINITY) &&
        (isExternal ? (
          <Search {...props} element={element} shown="" onChoose={add} />
        ) : (
          <select aria-label={label} value="" onChange={({ target }) => add(placeOf(target.value))}>
            <option value="" hidden>
              {placeholder}
            </option>
            {places.filter((place) => !isChosen(place)).map(optionTag)}
          </select>
        ))}
    </div>
  );
}
