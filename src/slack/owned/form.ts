/** What the forms of schedules and of watches share: how they are saved or refused, and the fields of a channel. */

import { randomUUID } from 'node:crypto';
import type { InputBlock, ModalView } from '@slack/types';
import { type ActionName, commandText } from '../../domain/commands.ts';
import { isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { channelOf } from '../../workspace/owned/stop-reasons.ts';
import { type Block, context, markup, option, plainText, section } from '../kit/atoms.ts';
import { checksInput, input, modal } from '../kit/modal.ts';
import { failureFacts } from '../reply/error-reply.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import { capitalized, fullMessage, storeItem } from './actions.ts';
import { type OwnedKind, requireOwned } from './owned-kind.ts';
import { type Announcement, announce, type OwnedItem } from './ownership.ts';

export const NOTHING_SAVED = 'Nothing was saved.';
const NOT_JOINED = 'Tally isn’t in that channel. Let it join, or type /invite @Tally there and try again.';

/** What a form's fields hold. */
export interface OwnedDraft {
  /** The ID of the edited item; '' for a new item. */
  readonly before: string;
}

/** Why a draft can't be saved: a sentence, and what the form shows then, if that differs. */
export interface DraftRefusal<Draft> {
  readonly problem: string;
  readonly draft?: Draft;
  readonly shown?: object;
}

/** What is to be saved, and what follows the sentence that it was. */
export interface CheckedDraft<T> {
  readonly item: T;
  readonly savedBlocks: readonly Block[];
}

interface Shown {
  /** At the top. */
  readonly notice?: readonly Block[];
}

/** The parts of a form that schedules and watches each supply. */
export interface OwnedForm<T extends OwnedItem, Draft extends OwnedDraft> {
  /** Draws it from what is known. */
  view(draft: Draft, request: Request, shown: Shown): ModalView;
  /** Draws it after asking Slack about the channel, and what else it shows. */
  load(draft: Draft, request: Request, shown: Shown): Promise<ModalView>;
  /** The block of a problem with a draft. */
  problemBlock(problem: string): Block;
  /** The same fields as a new one. */
  asNew(draft: Draft): Draft;
  /** @param before what is edited; undefined for a new one @throws NotAllowed, Failure */
  check(
    draft: Draft,
    before: T | undefined,
    request: Request,
  ): Promise<CheckedDraft<T> | DraftRefusal<Draft>>;
  announcements(item: T, request: Request, isChange: boolean): readonly Announcement[];
  /** As mrkdwn. */
  savedText(item: T, request: Request): string;
  /** What else people do with it in the list: `pause or delete`. */
  readonly listVerbs: string;
}

/** Saves, announces, and says so in the place of the form. */
export async function saveDraft<T extends OwnedItem, Draft extends OwnedDraft>(
  kind: OwnedKind<T>,
  form: OwnedForm<T, Draft>,
  draft: Draft,
  request: Request,
): Promise<void> {
  const checked = await storeDraft(kind, form, draft, request);
  if (checked === undefined) return;
  const { item, savedBlocks } = checked;
  await kind.changed(request.user.teamId);
  const problems = await announce(form.announcements(item, request, draft.before !== ''), request);
  const saved = markup([form.savedText(item, request), ...problems].join('\n'));
  const view = modal({
    title: kind.words.title,
    blocks: [
      saved,
      ...savedBlocks,
      context(`Change, ${form.listVerbs} it with \`${commandText(kind.commands.list)}\`.`),
    ],
  });
  await request.reply.modal.update(view, { text: `${capitalized(kind.kind)} saved.`, blocks: [saved] });
}

/** @returns undefined when it was not saved; the form then says why and keeps what was chosen */
async function storeDraft<T extends OwnedItem, Draft extends OwnedDraft>(
  kind: OwnedKind<T>,
  form: OwnedForm<T, Draft>,
  draft: Draft,
  request: Request,
): Promise<CheckedDraft<T> | undefined> {
  const refuse = async ({ problem, draft: instead = draft, shown = {} }: DraftRefusal<Draft>) => {
    const notice = [form.problemBlock(problem)];
    const view = await form.load(instead, request, { ...shown, notice });
    await request.reply.modal.update(view, { text: problem, blocks: notice });
    return undefined;
  };
  try {
    const before = requireOwned(kind.find, draft.before, request);
    if (draft.before !== '' && before === undefined)
      return await refuse({
        problem: `This ${kind.kind} was deleted. Save to create a new one.`,
        draft: form.asNew(draft),
      });
    const full = before === undefined ? fullMessage(kind, request) : undefined;
    if (full !== undefined) return await refuse({ problem: full.text });
    const checked = await form.check(draft, before, request);
    if ('problem' in checked) return await refuse(checked);
    const action = `${kind.kind} ${before === undefined ? 'created' : 'changed'}` as const;
    await storeItem(kind, checked.item, action, request);
    return checked;
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    const notice = [
      ...failureFacts(error, request),
      ...(mayHaveBeenSaved(error) ? [] : [context(NOTHING_SAVED)]),
    ];
    const view = form.view(draft, request, { notice });
    await request.reply.modal.update(view, { text: error.message, blocks: notice });
    return undefined;
  }
}

/** Whether its posts or alerts may go there. A manager may keep its channel without being in it. */
export const checkItemChannel = (
  channel: SlackId,
  before: OwnedItem | undefined,
  request: Request,
): Promise<ChannelCheck> =>
  checkChannel(
    channel,
    request,
    request.user.canManage && before !== undefined && channelOf(before) === channel,
  );

/** Joins the channel if needed and wanted. @returns why Tally can't post there, in a sentence */
export async function joinIfWanted(
  channel: SlackId,
  { canJoin }: Pick<ChannelCheck, 'canJoin'>,
  joins: boolean,
  request: Request,
): Promise<string | undefined> {
  if (!canJoin) return undefined;
  return joins ? joinChannel(channel, request) : NOT_JOINED;
}

/** What an edit keeps: whose it is, and since when. */
export const ownershipFields = (before: OwnedItem | undefined, { user, at }: Request) => ({
  /** Eight letters and digits. */
  id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
  owner: before?.owner ?? user.id,
  createdBy: before?.createdBy ?? user.id,
  createdAt: before?.createdAt ?? at,
});

/** Added to the action ID of a field that Tally fills in: Slack keeps a field's value for as long as its IDs stay. */
export const REFILLED = ':refilled';

/** Slack sends each change of such a field as an action; for a text, when Enter is pressed. */
export const liveInput = (action: ActionName, field: InputBlock, isRefilled = false): InputBlock => ({
  ...field,
  dispatch_action: true,
  element: { ...field.element, action_id: `${action}:${field.block_id}${isRefilled ? REFILLED : ''}` },
});

/** @param channel '' for none */
export const channelInput = (action: ActionName, channel: SlackId, hint: string): InputBlock =>
  liveInput(
    action,
    input(
      { block: 'channel', label: 'Channel', hint },
      {
        type: 'conversations_select',
        placeholder: plainText('Choose a channel'),
        filter: { include: ['public', 'private'] },
        ...(channel !== '' && { initial_conversation: channel }),
      },
    ),
  );

/** What is wrong with the channel or worth knowing, and whether Tally may join it. @param joins the box is ticked */
export function channelCheckBlocks(
  channelCheck: ChannelCheck | undefined,
  joins: boolean,
): (Block | InputBlock)[] {
  if (channelCheck === undefined) return [];
  const { problem, warnings, canJoin } = channelCheck;
  if (problem !== undefined) return [section(problem)];
  return [
    ...(warnings.length > 0 ? [section(warnings.join(' '))] : []),
    ...(canJoin ? [joinInput(joins)] : []),
  ];
}

const joinInput = (joins: boolean): InputBlock =>
  checksInput({
    block: 'join',
    label: 'Tally isn’t in that channel yet',
    options: [option('Let Tally join it', 'yes')],
    initial: joins ? ['yes'] : [],
  });
