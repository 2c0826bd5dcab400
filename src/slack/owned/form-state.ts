/** The state of the form of a schedule or a watch, in its fields and its `private_metadata`. */
import { createHash } from 'node:crypto';
import type { InputBlock } from '@slack/types';
import * as z from 'zod';
import type { ActionName } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { Target } from '../../workspace/owned/watch-record.ts';
import { type ChosenProject, parseProjectValue } from '../../workspace/projects/chosen-project.ts';
import { isChannel, isPerson } from '../../workspace/record/parse-record.ts';
import type { Block } from '../kit/blocks.ts';
import type { ChannelCheck } from '../request/channels.ts';
import { type FormFields, selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { OwnedItem, OwnedKind } from './owned-kind.ts';

/** What the forms have in common. Fields may be empty or wrong, and nothing is checked against the record. */
export interface OwnedDraft extends Omit<Metadata, 'hidden'> {
  readonly projects: readonly ChosenProject[];
  readonly to: 'channel' | 'people';
  /** Slack's ID; '' for none. */
  readonly channel: SlackId;
  readonly people: readonly SlackId[];
}

const metadataSchema = z.object({
  /** The ID of the edited item; '' for a new one. */
  before: z.string().default(''),
  /** `itemVersion` of the edited item when the form was opened; '' for a new one. */
  seen: z.string().default(''),
  /** The channel that it was last drawn for, or where it was opened; '' for neither. */
  place: z.string().default(''),
  /** Whether the fields that Tally filled in have their alternative action IDs: see `REFILLED`. */
  isRefilled: z.boolean().default(false),
  /** Whether the fields under More are shown. */
  isExpanded: z.boolean().default(false),
  /** Values of fields that the form does not show now; Slack sends only those that it shows. */
  hidden: z.record(z.string(), z.string()).default({}),
});
type Metadata = Readonly<z.infer<typeof metadataSchema>>;

/** Keeps all hidden fields together far below Slack's limit of 3,000 characters. */
const LONGEST_HIDDEN = 100;

/** @returns a new form's metadata if the text is invalid */
const decodeMetadata = (metadata: string): Metadata =>
  metadataSchema.safeParse(tryParseJson(metadata)).data ?? metadataSchema.parse({});

/** The channel whose projects the form's select offers; outside text, not checked yet. */
export const placeOfForm = (metadata: string): SlackId => decodeMetadata(metadata).place;

/** @param hidden block ID → value of the fields that are not drawn */
export function encodeMetadata(draft: OwnedDraft, hidden: FormFields): string {
  const { before, seen, isRefilled, isExpanded, to, channel } = draft;
  const place = to === 'channel' && channel !== '' ? channel : draft.place;
  const kept = Object.entries(hidden).filter(([, value]) => value.length <= LONGEST_HIDDEN);
  const metadata: Metadata = {
    before,
    seen,
    place,
    isRefilled,
    isExpanded,
    hidden: Object.fromEntries(kept),
  };
  return JSON.stringify(metadata);
}

/** The fields that the form shows and those that it hides, and what they have in common. */
export function parseForm(
  shown: FormFields,
  metadata: string,
  max: FormLimits,
): { readonly fields: FormFields; readonly draft: OwnedDraft } {
  const { hidden, ...state } = decodeMetadata(metadata);
  const fields = { ...hidden, ...shown };
  const { channel = '' } = fields;
  const draft: OwnedDraft = {
    ...state,
    projects: selectedValues(fields.projects).flatMap((value) => parseProjectValue(value) ?? []),
    to: max.people > 0 && fields.to === 'people' ? 'people' : 'channel',
    channel: isChannel(channel) ? channel : '',
    people: selectedValues(fields.people).filter(isPerson),
  };
  return { fields, draft };
}

export const targetFields = ({ to, channel, people }: OwnedDraft, max: FormLimits): FormFields => ({
  channel,
  ...(max.people > 0 && { to, people: people.join(',') }),
});

export interface FormLimits {
  readonly projects: number;
  /** 0 where only channels can be chosen. */
  readonly people: number;
}

/** What is wrong with the fields that the forms have in common, without any look-up: block ID → sentence. */
export function commonErrors(fields: FormFields, draft: OwnedDraft, max: FormLimits): Record<string, string> {
  const { to, channel, people, projects } = draft;
  const isWhole = (chosen: readonly unknown[], field: string | undefined, most: number) =>
    chosen.length >= 1 && chosen.length <= most && chosen.length === selectedValues(field).length;
  const project = max.projects === 1 ? 'a project' : `1 to ${max.projects} projects`;
  return withoutUndefined({
    projects: isWhole(projects, fields.projects, max.projects)
      ? undefined
      : `Choose ${project}. Type a name or an ID.`,
    channel: to === 'channel' && channel === '' ? 'Choose a channel, not a direct message.' : undefined,
    people:
      to === 'people' && !isWhole(people, fields.people, max.people)
        ? `Choose 1 to ${max.people} people.`
        : undefined,
  });
}

const FRESH = { isRefilled: false, isExpanded: false } as const;

/** What a new form begins with: the channel where it was asked for or, outside of channels, the person if that is possible. */
export function newDraft(projects: readonly ChosenProject[], max: FormLimits, request: Request): OwnedDraft {
  const { channel: place = '', user } = request;
  const channel = isChannel(place) ? place : '';
  return {
    before: '',
    seen: '',
    place,
    projects,
    channel,
    people: [user.id],
    to: channel === '' && max.people > 0 ? 'people' : 'channel',
    ...FRESH,
  };
}

export function draftOf(item: OwnedItem, { channel: place = '', user }: Request): OwnedDraft {
  const { channel = '', people = [user.id] } = { people: undefined, ...item };
  return {
    before: item.id,
    seen: itemVersion(item),
    place,
    projects: item.projects,
    to: channel === '' ? 'people' : 'channel',
    channel,
    people,
    ...FRESH,
  };
}

export const targetOfDraft = ({ to, channel, people }: OwnedDraft): Target =>
  to === 'channel' ? { channel } : { people: [...people] };

/** Differs if something was changed that the form edits: not whose it is, nor that it is paused or snoozed. */
export function itemVersion(item: OwnedItem): string {
  const { owner, createdBy, createdAt, since, paused, ...edited } = item;
  const { snoozedUntil, ...version } = { snoozedUntil: undefined, ...edited };
  return createHash('sha256').update(JSON.stringify(version)).digest('base64url').slice(0, 12);
}

/** The types in which the forms differ. */
export interface FormTypes {
  readonly item: OwnedItem;
  /** The fields that only this kind has. */
  readonly own: object;
  /** The figures that the preview shows. */
  readonly figures: unknown;
}

/** What the fields hold: those that the forms share, and those of one kind. */
export type FormDraft<K extends FormTypes> = OwnedDraft & K['own'];

/** What a form shows besides its draft. */
export interface FormView<K extends FormTypes> {
  /** Undefined before the target was checked. */
  readonly check?: ChannelCheck | undefined;
  readonly figures?: K['figures'] | undefined;
  /** Whether the figures are still being asked for. */
  readonly isAsking?: boolean;
  /** Shown at the top of the form. */
  readonly notice?: readonly Block[];
  /** Shown below the form's buttons. */
  readonly result?: readonly Block[];
}

/** Blocks that the form supplies to its kind, which orders them, and what they were made of. */
export interface DrawnParts<K extends FormTypes> extends FormView<K> {
  readonly projects: InputBlock;
  readonly target: readonly (Block | InputBlock)[];
  /** A field whose change redraws the form. @param isRefilled for a field that Tally fills in */
  readonly live: (field: InputBlock, isRefilled?: boolean) => InputBlock;
  /** Chosen projects whose names the user may not know. */
  readonly unnamed: readonly ChosenProject[];
  readonly request: Request;
}

/** What schedules and watches each supply to their form. */
export interface OwnedForm<K extends FormTypes> {
  readonly kind: OwnedKind<K['item']>;
  /** The action ID of a field whose change redraws the form. */
  readonly field: ActionName;
  readonly max: FormLimits;
  readonly words: {
    readonly create: string;
    readonly edit: string;
    readonly saving: string;
    readonly projectsHint?: string;
  };
  /** Block IDs in view when the form opens, from the top, and the heading below them. */
  readonly inView: { readonly blocks: readonly [string, ...string[]]; readonly below: string };
  parse(fields: FormFields): K['own'];
  /** What is wrong with its own fields, without any look-up: block ID → sentence. */
  errors(fields: FormFields, draft: FormDraft<K>): Record<string, string>;
  fieldsOf(item: K['item']): K['own'];
  /** The values of its own fields that the form may hide. Nothing that was typed and not understood, which may be a secret. */
  hidden(draft: FormDraft<K>, parts: Pick<DrawnParts<K>, 'unnamed' | 'request'>): FormFields;
  /** The draft after a choice that changes other fields, too. */
  changed?(draft: FormDraft<K>, choice: string): FormDraft<K>;
  blocks(draft: FormDraft<K>, parts: DrawnParts<K>): readonly (Block | InputBlock)[];
  /** Whether its figures take a question to a service, so that the form says so first. */
  asks(draft: FormDraft<K>, request: Request): boolean;
  figures(
    draft: FormDraft<K>,
    request: Request,
    check: ChannelCheck | undefined,
  ): Promise<K['figures'] | undefined>;
  /** After the check of its target. @param before what is edited; undefined for a new one @throws not-allowed, Failure */
  build(
    draft: FormDraft<K>,
    before: K['item'] | undefined,
    request: Request,
  ): Promise<{ readonly item: K['item'] } | SaveRefusal<K>>;
}

/** Why a draft can't be saved, as a mrkdwn sentence. */
export interface SaveRefusal<K extends FormTypes> {
  readonly problem: string;
  readonly figures?: K['figures'];
}
