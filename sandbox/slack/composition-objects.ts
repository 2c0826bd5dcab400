/** Schemas of Slack's composition objects: texts, options, confirmation dialogs. */
import { z } from 'zod';
import { LIMITS } from './limits.ts';

export const string = (most: number, least = 1) => z.string().min(least).max(most);
export const identifier = string(LIMITS.id).optional();

export const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: string(most), emoji: z.boolean().optional() });

const mrkdwn = (most: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: string(most), verbatim: z.boolean().optional() });

export const text = (most: number = LIMITS.text) => z.discriminatedUnion('type', [plain(most), mrkdwn(most)]);

export const webUrl = z
  .string()
  .max(LIMITS.url)
  .refine((value) => /^(https?|slack|mailto):/.test(value) && URL.canParse(value), 'must be a URL');

const slackFile = z.union([z.strictObject({ url: webUrl }), z.strictObject({ id: z.string() })]);

export const imageSource = { image_url: webUrl.optional(), slack_file: slackFile.optional() };

export const hasOneSource = (image: { image_url?: unknown; slack_file?: unknown }) =>
  (image.image_url === undefined) !== (image.slack_file === undefined);

export const image = z
  .strictObject({ type: z.literal('image'), alt_text: string(LIMITS.image.alt), ...imageSource })
  .refine(hasOneSource, 'must define either `image_url` or `slack_file`');

export const confirm = z
  .strictObject({
    title: plain(LIMITS.confirm.title).optional(),
    text: text(LIMITS.confirm.text),
    confirm: plain(LIMITS.confirm.button).optional(),
    deny: plain(LIMITS.confirm.button).optional(),
    style: z.enum(['primary', 'danger']).optional(),
  })
  .optional();

const optionRest = {
  value: string(LIMITS.option.value),
  description: plain(LIMITS.option.description).optional(),
};

export const plainOption = z.strictObject({ text: plain(LIMITS.option.text), ...optionRest });

export const overflowOption = z.strictObject({
  text: plain(LIMITS.option.text),
  ...optionRest,
  url: webUrl.optional(),
});

export const richOption = z.strictObject({
  text: text(LIMITS.option.text),
  value: optionRest.value,
  description: text(LIMITS.option.description).optional(),
});

export const optionList = z.array(plainOption).min(1).max(LIMITS.options.select);

export const optionGroups = z
  .array(z.strictObject({ label: plain(LIMITS.option.text), options: optionList }))
  .min(1)
  .max(LIMITS.options.groups);

/** The answer to an `external_select`; an empty list means no matches. */
export const suggestions = z.union([
  z.strictObject({ options: z.array(plainOption).max(LIMITS.options.select) }),
  z.strictObject({ option_groups: optionGroups }),
]);
