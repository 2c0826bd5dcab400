/** Schemas of Slack's interactive block elements. */
import { z } from 'zod';
import {
  confirm,
  identifier,
  image,
  optionGroups,
  optionList,
  overflowOption,
  plain,
  plainOption,
  richOption,
  string,
  webUrl,
} from './composition-objects.ts';
import { LIMITS } from './limits.ts';

const flag = z.boolean().optional();
const placeholder = plain(LIMITS.placeholder).optional();
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time, HH:mm');
const slackId = z.string().regex(/^[A-Z0-9]{2,}$/, 'must be an id');
const slackIds = z.array(slackId).optional();
const count = z.number().int().min(1).optional();

const actionable = { action_id: identifier };
const confirmable = { ...actionable, confirm };
const focusable = { ...confirmable, focus_on_load: flag };
const choosable = { ...focusable, placeholder };
const typable = {
  ...actionable,
  focus_on_load: flag,
  placeholder,
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z
        .array(z.enum(['on_enter_pressed', 'on_character_entered']))
        .min(1)
        .optional(),
    })
    .optional(),
};
const conversationFilter = z
  .strictObject({
    include: z
      .array(z.enum(['im', 'mpim', 'private', 'public']))
      .min(1)
      .optional(),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  })
  .refine((filter) => Object.keys(filter).length > 0, 'must not be empty')
  .optional();

interface Choice {
  options?: unknown[] | undefined;
  option_groups?: { options: unknown[] }[] | undefined;
}

const hasOneList = ({ options, option_groups }: Choice) =>
  (options === undefined) !== (option_groups === undefined);

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Slack accepts an initial option only when it equals one of the options in every field. */
const offers = ({ options, option_groups }: Choice, chosen: readonly unknown[]) => {
  const offered = options ?? option_groups?.flatMap((group) => group.options) ?? [];
  return chosen.every((choice) => offered.some((option) => same(option, choice)));
};

const lists = { options: optionList.optional(), option_groups: optionGroups.optional() };
const ONE_LIST = 'must define either `options` or `option_groups`';
const NOT_OFFERED = 'initial option must be one of the options';

const button = z.strictObject({
  type: z.literal('button'),
  ...confirmable,
  text: plain(LIMITS.button.text),
  value: string(LIMITS.button.value).optional(),
  url: webUrl.optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: string(LIMITS.button.accessibilityLabel).optional(),
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...confirmable,
  options: z.array(overflowOption).min(1).max(LIMITS.options.overflow),
});

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...choosable,
    ...lists,
    initial_option: plainOption.optional(),
  })
  .refine(hasOneList, ONE_LIST)
  .refine((s) => offers(s, s.initial_option ? [s.initial_option] : []), NOT_OFFERED);

const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    ...choosable,
    ...lists,
    initial_options: z.array(plainOption).optional(),
    max_selected_items: count,
  })
  .refine(hasOneList, ONE_LIST)
  .refine((s) => offers(s, s.initial_options ?? []), NOT_OFFERED);

const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    ...focusable,
    options: z.array(richOption).min(1).max(LIMITS.options.choices),
    initial_options: z.array(richOption).optional(),
  })
  .refine((s) => offers(s, s.initial_options ?? []), NOT_OFFERED);

const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...focusable,
    options: z.array(richOption).min(1).max(LIMITS.options.choices),
    initial_option: richOption.optional(),
  })
  .refine((s) => offers(s, s.initial_option ? [s.initial_option] : []), NOT_OFFERED);

const element = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...shape });

const selects = [
  staticSelect,
  multiStaticSelect,
  element('external_select', {
    ...choosable,
    initial_option: plainOption.optional(),
    min_query_length: z.number().int().min(0).optional(),
  }),
  element('multi_external_select', {
    ...choosable,
    initial_options: z.array(plainOption).min(1).optional(),
    min_query_length: z.number().int().min(0).optional(),
    max_selected_items: count,
  }),
  element('users_select', { ...choosable, initial_user: slackId.optional() }),
  element('multi_users_select', { ...choosable, initial_users: slackIds, max_selected_items: count }),
  element('conversations_select', {
    ...choosable,
    initial_conversation: slackId.optional(),
    default_to_current_conversation: flag,
    response_url_enabled: flag,
    filter: conversationFilter,
  }),
  element('multi_conversations_select', {
    ...choosable,
    initial_conversations: slackIds,
    default_to_current_conversation: flag,
    max_selected_items: count,
    filter: conversationFilter,
  }),
  element('channels_select', {
    ...choosable,
    initial_channel: slackId.optional(),
    response_url_enabled: flag,
  }),
  element('datepicker', { ...choosable, initial_date: date.optional() }),
  element('timepicker', { ...choosable, initial_time: time.optional(), timezone: z.string().optional() }),
] as const;

const plainTextInput = element('plain_text_input', {
  ...typable,
  initial_value: z.string().max(LIMITS.typed).optional(),
  multiline: flag,
  min_length: z.number().int().min(0).max(LIMITS.typed).optional(),
  max_length: z.number().int().min(1).max(LIMITS.typed).optional(),
}).refine(
  (input) => (input.min_length ?? 0) <= (input.max_length ?? LIMITS.typed),
  '`min_length` must not be more than `max_length`',
);

const typed = [
  plainTextInput,
  element('email_text_input', { ...typable, initial_value: z.string().optional() }),
  element('url_text_input', { ...typable, initial_value: z.string().optional() }),
  element('number_input', {
    ...typable,
    is_decimal_allowed: z.boolean(),
    initial_value: z.string().optional(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
  }),
] as const;

const choices = [checkboxes, radioButtons] as const;

export const inActions = z.discriminatedUnion('type', [button, overflow, ...selects, ...choices]);
export const asAccessory = z.discriminatedUnion('type', [button, overflow, image, ...selects, ...choices]);
export const inInput = z.discriminatedUnion('type', [...typed, ...selects, ...choices]);
