import { randomUUID } from 'node:crypto';
import { type Failure, isFailure, mayHaveBeenSaved, NoData } from '../../domain/failure/index.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { type Block, context, markup, withoutActions } from '../../slack/kit/atoms.ts';
import { fullText } from '../../slack/owned/actions.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { canReadOwned } from '../../slack/owned/ownership.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { type ChosenProject, isSameProject } from '../../workspace/projects/chosen-project.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findWatch } from '../../workspace/record/workspace.ts';
import { watchMarkup } from './blocks.ts';
import { checkWatchDraftChannel, previewAllowed, ruleFor, watchFormView } from './draft-view.ts';
import { targetOfDraft, type WatchDraft, watchVersion } from './form-state.ts';
import type { OwnedWatches, WatchesParts } from './kind.ts';
import type { Previewed } from './preview.ts';
import { findTargetProblem } from './target-check.ts';
import { watchAuditText } from './wording.ts';

const GONE = 'This watch was deleted. Save to create a new one.';
const NOTHING_SAVED = 'Nothing was saved.';

interface SavedDraft {
  readonly watch: Watch;
  readonly previewed: Previewed | undefined;
}

/** @returns undefined when it was not saved; the form then says why and keeps what was chosen */
export async function storeDraft(
  kind: OwnedWatches,
  parts: WatchesParts,
  draft: WatchDraft,
  request: Request,
): Promise<SavedDraft | undefined> {
  const { workspace } = request;
  try {
    const before = requireOwned(findWatch, draft.before, request);
    if (draft.before !== '' && before === undefined)
      return await refuse(GONE, { ...draft, before: '', seen: '' }, request);
    if (before !== undefined && watchVersion(before) !== draft.seen)
      return await refuse(changedText(before, request), { ...draft, seen: watchVersion(before) }, request);
    const full = before === undefined ? fullText(kind, request) : undefined;
    if (full !== undefined) return await refuse(full, draft, request);
    const parsed = ruleFor(draft, request);
    if (draft.project === undefined || 'errors' in parsed)
      return await refuse(
        `${Object.values('errors' in parsed ? parsed.errors : {})[0] ?? ''} ${NOTHING_SAVED}`,
        draft,
        request,
      );
    const target = targetOfDraft(draft);
    const problem = await findTargetProblem(
      { target, project: draft.project, joins: draft.joins, before },
      request,
    );
    if (problem !== undefined) return await refuse(`${problem} ${NOTHING_SAVED}`, draft, request);
    const previewed = await previewAllowed(parts, draft, request);
    // Managers may get alerts that who sets them up may not see.
    if (previewed === undefined) return await refuse(`${CLOSED} ${NOTHING_SAVED}`, draft, request);
    if (previewed.result instanceof NoData)
      return await refuse(`${previewed.result.message} ${CHECK_PROJECT}`, draft, request, previewed);
    const watch = watchFromDraft({ ...draft, project: draft.project }, parsed.rule, before, request);
    const action = before === undefined ? 'watch created' : 'watch changed';
    const change = auditedChange(request, [action, watchAuditText(watch, workspace)]);
    await parts.workspaces.watches.save(change, watch);
    return { watch, previewed };
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    const notice = [...failureBlocks(error), ...(mayHaveBeenSaved(error) ? [] : [context(NOTHING_SAVED)])];
    await request.reply.modal.update(watchFormView(draft, request, { notice }), {
      text: error.message,
      blocks: notice,
    });
    return undefined;
  }
}

const CLOSED = 'You can’t ask about this project here.';
const CHECK_PROJECT = `Check the project ID, or choose it with another product. ${NOTHING_SAVED}`;

function changedText(now: Watch, request: Request): string {
  const what = canReadOwned(now, request)
    ? ` It’s now ${watchMarkup(now, request.workspace, request.locale)}.`
    : '';
  return `Somebody else changed this watch first.${what} Save again to replace that.`;
}

/** @param problem mrkdwn; sent as a direct message if the form was closed */
async function refuse(
  problem: string,
  draft: WatchDraft,
  request: Request,
  previewed?: Previewed,
): Promise<undefined> {
  const notice = [markup(problem)];
  const channelCheck = await checkWatchDraftChannel(draft, request);
  const view = watchFormView(draft, request, { channelCheck, previewed, notice });
  await request.reply.modal.update(view, { text: problem, blocks: notice });
  return undefined;
}

function watchFromDraft(
  draft: WatchDraft & { readonly project: ChosenProject },
  rule: WatchRule,
  before: Watch | undefined,
  { user, at }: Request,
): Watch {
  const isSameRule =
    before !== undefined &&
    isSameProject(before.project, draft.project) &&
    JSON.stringify(before.rule) === JSON.stringify(rule);
  return {
    id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
    project: draft.project,
    rule,
    target: targetOfDraft(draft),
    owner: before?.owner ?? user.id,
    createdBy: before?.createdBy ?? user.id,
    createdAt: before?.createdAt ?? at,
    since: isSameRule ? before.since : at,
    ...(before?.paused !== undefined && { paused: before.paused }),
    ...(isSameRule && before.snoozedUntil !== undefined && { snoozedUntil: before.snoozedUntil }),
  };
}

const failureBlocks = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);
