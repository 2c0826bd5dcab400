import type { InputBlock } from '@slack/types';
import type { ActionName } from '../../domain/commands.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import type { Block } from '../kit/atoms.ts';
import type { FormFields } from '../kit/modal.ts';
import type { ChannelCheck } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import type { FormLimits, OwnedDraft } from './form-state.ts';
import type { OwnedKind } from './owned-kind.ts';
import type { OwnedItem } from './ownership.ts';

/** The types in which the forms differ. */
export interface FormTypes {
  readonly item: OwnedItem;
  /** The fields that only this kind has. */
  readonly own: object;
  /** What its preview shows. */
  readonly figures: unknown;
}

/** What the fields hold: those that the forms share, and those of one kind. */
export type FormDraft<K extends FormTypes> = OwnedDraft & K['own'];

/** What a form shows besides its draft. */
export interface Shown<K extends FormTypes> {
  /** Undefined before the target was checked. */
  readonly check?: ChannelCheck | undefined;
  readonly figures?: K['figures'] | undefined;
  /** The figures are being asked for. */
  readonly isAsking?: boolean;
  /** At the top. */
  readonly notice?: readonly Block[];
  /** Below the buttons. */
  readonly result?: readonly Block[];
}

/** Blocks that the form supplies to its kind, which orders them, and what they were made of. */
export interface DrawnParts<K extends FormTypes> extends Shown<K> {
  readonly projects: InputBlock;
  readonly target: readonly (Block | InputBlock)[];
  /** Says that another item is the same. */
  readonly duplicate: readonly Block[];
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
    readonly duplicate: string;
    /** What else people do with it in the list: `pause or delete`. */
    readonly listVerbs: string;
  };
  /** Block IDs in view when the form opens, from the top, and the heading below them. */
  readonly inView: { readonly blocks: readonly [string, ...string[]]; readonly below: string };
  read(fields: FormFields): K['own'];
  /** What is wrong with its own fields, as far as that needs no look-up: block ID → sentence. */
  errors(fields: FormFields, draft: FormDraft<K>): Record<string, string>;
  fieldsOf(item: K['item']): K['own'];
  /** The values of its own fields that the form may hide. Nothing that was typed and not understood, which may be a secret. */
  hidden(draft: FormDraft<K>, parts: Pick<DrawnParts<K>, 'unnamed' | 'request'>): FormFields;
  /** What else changes with a choice. */
  changed?(draft: FormDraft<K>, choice: string): FormDraft<K>;
  blocks(draft: FormDraft<K>, parts: DrawnParts<K>): readonly (Block | InputBlock)[];
  /** Whether its figures take a question to a service, so that the form says so first. */
  asks(draft: FormDraft<K>, request: Request): boolean;
  figures(
    draft: FormDraft<K>,
    request: Request,
    check: ChannelCheck | undefined,
  ): Promise<K['figures'] | undefined>;
  isSame(draft: FormDraft<K>, item: K['item'], request: Request): boolean;
  /** After the check of its target. @param before what is edited; undefined for a new one @throws NotAllowed, Failure */
  build(
    draft: FormDraft<K>,
    before: K['item'] | undefined,
    request: Request,
  ): Promise<BuiltItem<K> | SaveRefusal<K>>;
}

/** What is to be saved, and what follows the sentence that it was. */
export interface BuiltItem<K extends FormTypes> {
  readonly item: K['item'];
  readonly savedBlocks: readonly Block[];
}

/** Why a draft can't be saved, as a mrkdwn sentence. */
export interface SaveRefusal<K extends FormTypes> {
  readonly problem: string;
  readonly figures?: K['figures'];
}
