/** Schemas of the composition objects and interactive elements that Tally sends. */
import { z } from 'zod';
import { LIMITS } from './limits.ts';

export const string = (most: number, least = 1) => z.string().min(least).max(most);
export const identifier = string(LIMITS.id).optional();
export const flag = z.boolean().optional();

export const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: string(most), emoji: flag });

const mrkdwn = (most: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: string(most), verbatim: flag });

export const text = (most: number = LIMITS.text) => z.discriminatedUnion('type', [plain(most), mrkdwn(most)]);

const webUrl = z
  .string()
  .max(LIMITS.url)
  .refine((value) => /^(https?|slack|mailto):/.test(value) && URL.canParse(value), 'must be a URL');

const style = z.enum(['primary', 'danger']).optional();
const confirm = z
  .strictObject({
    title: plain(LIMITS.confirm.title).optional(),
    text: text(LIMITS.confirm.text),
    confirm: plain(LIMITS.confirm.button).optional(),
    deny: plain(LIMITS.confirm.button).optional(),
    style,
  })
  .optional();

const option = z.strictObject({
  text: plain(LIMITS.option.text),
  value: string(LIMITS.option.value),
  description: plain(LIMITS.option.description).optional(),
});
const box = z.strictObject({
  text: text(LIMITS.option.text),
  value: string(LIMITS.option.value),
  description: text(LIMITS.option.description).optional(),
});
const options = z.array(option).min(1).max(LIMITS.options.select);
const optionGroups = z
  .array(z.strictObject({ label: plain(LIMITS.option.text), options }))
  .min(1)
  .max(LIMITS.options.groups);

/** The answer to an `external_select`. An empty list means no matches. */
export const suggestions = z.union([
  z.strictObject({ options: z.array(option).max(LIMITS.options.select) }),
  z.strictObject({ option_groups: optionGroups }),
]);

const slackId = z.string().regex(/^[A-Z0-9]{2,}$/, 'must be an id');
const slackIds = z.array(slackId).optional();
const count = z.number().int().min(1).optional();
const common = { action_id: identifier, confirm };
const select = { ...common, placeholder: plain(LIMITS.placeholder).optional() };
const search = { ...select, min_query_length: z.number().int().min(0).optional() };
const conversations = {
  ...select,
  filter: z
    .strictObject({ include: z.array(z.enum(['im', 'mpim', 'private', 'public'])), exclude_bot_users: flag })
    .partial()
    .optional(),
};
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time, HH:mm');

const element = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...shape });

const NOT_OFFERED = 'initial option must be one of the options';

/** Slack accepts an initial option only if all its fields equal an offered option's. */
const isOffered = (offered: readonly unknown[], chosen: readonly unknown[]) =>
  chosen.every((choice) => offered.some((option) => JSON.stringify(option) === JSON.stringify(choice)));

const button = element('button', {
  action_id: identifier,
  confirm,
  style,
  text: plain(LIMITS.button.text),
  value: string(LIMITS.button.value).optional(),
  url: webUrl.optional(),
});

const choosable = [
  element('static_select', {
    ...select,
    options: options.optional(),
    option_groups: optionGroups.optional(),
    initial_option: option.optional(),
  })
    .refine(
      (it) => (it.options === undefined) !== (it.option_groups === undefined),
      'must define either `options` or `option_groups`',
    )
    .refine(
      (it) =>
        isOffered(
          it.options ?? it.option_groups?.flatMap((group) => group.options) ?? [],
          it.initial_option ? [it.initial_option] : [],
        ),
      NOT_OFFERED,
    ),
  element('checkboxes', {
    ...common,
    options: z.array(box).min(1).max(LIMITS.options.checkboxes),
    initial_options: z.array(box).optional(),
  }).refine((it) => isOffered(it.options, it.initial_options ?? []), NOT_OFFERED),
  element('external_select', { ...search, initial_option: option.optional() }),
  element('multi_external_select', {
    ...search,
    initial_options: z.array(option).min(1).optional(),
    max_selected_items: count,
  }),
  element('users_select', { ...select, initial_user: slackId.optional() }),
  element('multi_users_select', { ...select, initial_users: slackIds, max_selected_items: count }),
  element('conversations_select', { ...conversations, initial_conversation: slackId.optional() }),
  element('multi_conversations_select', {
    ...conversations,
    initial_conversations: slackIds,
    max_selected_items: count,
  }),
  element('datepicker', { ...select, initial_date: date.optional() }),
  element('timepicker', { ...select, initial_time: time.optional(), timezone: z.string().optional() }),
] as const;

export const actionElement = z.discriminatedUnion('type', [
  button,
  element('overflow', {
    action_id: identifier,
    confirm,
    options: z.array(option).min(1).max(LIMITS.options.overflow),
  }),
  ...choosable,
]);

export const inputElement = z.discriminatedUnion('type', [
  element('plain_text_input', {
    ...select,
    initial_value: z.string().max(LIMITS.typed).optional(),
    multiline: flag,
    max_length: z.number().int().min(1).max(LIMITS.typed).optional(),
  }),
  ...choosable,
]);
