import { randomUUID } from 'node:crypto';
import { commandText } from '../../domain/commands.ts';
import { isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import { targetOf } from '../../workspace/owned/stop-reasons.ts';
import { context, markup } from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import { failureFacts } from '../reply/error-reply.ts';
import type { Request } from '../request/request.ts';
import { fullMessage, storeItem } from './actions.ts';
import { announce, capitalized, savedText, targetMarkup } from './announcement.ts';
import type { FormDrawing } from './draw-form.ts';
import { itemVersion } from './form-state.ts';
import type { BuiltItem, FormDraft, FormTypes, OwnedForm, Shown } from './owned-form.ts';
import { type OwnedKind, requireOwned } from './owned-kind.ts';
import { canReadOwned, type OwnedItem } from './ownership.ts';

const NOTHING_SAVED = 'Nothing was saved.';

/** Saves, announces, and says so in the place of the form. */
export async function saveDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  drawing: FormDrawing<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<void> {
  const { kind, words } = form;
  const built = await storeDraft(form, drawing, draft, request);
  if (built === undefined) return;
  const { item, savedBlocks } = built;
  await kind.changed(request.user.teamId);
  const problems = await announce(kind, item, request, draft.before !== '');
  const saved = markup([savedText(kind, item, request), ...problems].join('\n'));
  const view = modal({
    title: kind.words.title,
    blocks: [
      saved,
      ...savedBlocks,
      context(`Change, ${words.listVerbs} it with \`${commandText(kind.commands.list)}\`.`),
    ],
  });
  await request.reply.modal.update(view, { text: `${capitalized(kind.kind)} saved.`, blocks: [saved] });
}

/** @returns undefined when it was not saved; the form then says why and keeps what was chosen */
async function storeDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  drawing: FormDrawing<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<BuiltItem<K> | undefined> {
  const { kind } = form;
  const refuse = async (problem: string, instead = draft, shown: Shown<K> = {}): Promise<undefined> => {
    const notice = [markup(problem)];
    const { check, figures } = await drawing.load(instead, request);
    // What is wrong with the target is said once.
    const isSaid = check?.problem !== undefined && problem.startsWith(check.problem);
    const known = { check: isSaid ? undefined : check, figures };
    const view = drawing.view(instead, request, { ...known, ...shown, notice });
    await request.reply.modal.update(view, { text: problem, blocks: notice });
  };
  try {
    const before = requireOwned(kind.find, draft.before, request);
    if (draft.before !== '' && before === undefined)
      return await refuse(`This ${kind.kind} was deleted. Save to create a new one.`, {
        ...draft,
        ...{ before: '', seen: '' },
      });
    const seen = before === undefined ? '' : itemVersion(before);
    if (before !== undefined && seen !== draft.seen)
      return await refuse(changedText(kind, before, request), { ...draft, seen });
    const full = before === undefined ? fullMessage(kind, request) : undefined;
    if (full !== undefined) return await refuse(full.text);
    const problem = await drawing.findProblem(draft, request);
    if (problem !== undefined) return await refuse(`${problem} ${NOTHING_SAVED}`);
    const built = await form.build(draft, before, request);
    if ('problem' in built)
      return await refuse(`${built.problem} ${NOTHING_SAVED}`, draft, { figures: built.figures });
    const action = `${kind.kind} ${before === undefined ? 'created' : 'changed'}` as const;
    await storeItem(kind, built.item, action, request);
    return built;
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    const notice = [
      ...failureFacts(error, request),
      ...(mayHaveBeenSaved(error) ? [] : [context(NOTHING_SAVED)]),
    ];
    const view = drawing.view(draft, request, { notice });
    await request.reply.modal.update(view, { text: error.message, blocks: notice });
    return undefined;
  }
}

function changedText<T extends OwnedItem>(kind: OwnedKind<T>, now: T, request: Request): string {
  const text = `${kind.words.summary(now, request)} → ${targetMarkup(targetOf(now))}`;
  const what = canReadOwned(now, request) ? ` It’s now ${text}.` : '';
  return `Somebody else changed this ${kind.kind} first.${what} Save again to replace that.`;
}

/** What an edit keeps: whose it is, and since when. */
export const ownershipFields = (before: OwnedItem | undefined, { user, at }: Request) => ({
  /** Eight letters and digits. */
  id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
  owner: before?.owner ?? user.id,
  createdBy: before?.createdBy ?? user.id,
  createdAt: before?.createdAt ?? at,
});
