import { moneyWriter } from '../../delivery/watches/alert-wording.ts';
import { previewWatch } from '../../delivery/watches/watch-preview.ts';
import { isFailure, NoData } from '../../domain/failure/index.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { escapeMarkup, markup, section } from '../../slack/kit/atoms.ts';
import { fullMessage } from '../../slack/owned/actions.ts';
import {
  type CheckedDraft,
  type DraftRefusal,
  NOTHING_SAVED,
  type OwnedForm,
  ownershipFields,
  saveDraft,
} from '../../slack/owned/form.ts';
import { canReadOwned } from '../../slack/owned/ownership.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { type ChosenProject, isSameProject } from '../../workspace/projects/chosen-project.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { announcements, watchMarkup, watchSavedText } from './blocks.ts';
import {
  checkWatchDraftChannel,
  previewAllowed,
  previewDraft,
  ruleFor,
  watchFormView,
} from './draft-view.ts';
import { suggestingModal } from './form.ts';
import {
  draftOfWatch,
  fieldsOfRule,
  newWatchDraft,
  targetOfDraft,
  type WatchDraft,
  watchVersion,
} from './form-state.ts';
import type { OwnedWatches, WatchesParts } from './kind.ts';
import { savedLines } from './preview.ts';
import { findTargetProblem } from './target-check.ts';
import type { ThresholdFields, WatchWords } from './words.ts';

/** The form: opened, redrawn at each change, previewed and saved. What it sends back is checked each time. */
export function createWatchForm(kind: OwnedWatches, parts: WatchesParts) {
  return {
    async openNew(words: WatchWords, request: Request): Promise<void> {
      const { user, channel } = request;
      const full = fullMessage(kind, request);
      if (full !== undefined) return request.reply.update(full);
      const project = typedOrDefaultProject(words, request);
      await openForm(parts, newWatchDraft(words, project, { channel, person: user.id }), request);
    },

    openFor: (watch: Watch, request: Request) =>
      openForm(parts, draftOfWatch(watch, request.user.id), request),

    /** With the threshold that would have alerted at most once a month. @throws NotAllowed */
    openSuggestion: (watch: Watch, request: Request) => openSuggestion(parts, watch, request),

    /** After a field changed: what billing says is shown once it is known. */
    redraw: (draft: WatchDraft, request: Request) => redrawWithPreview(parts, draft, request),

    /** For thresholds that Tally filled in: Slack only shows them under another action ID. */
    refill: (draft: WatchDraft, thresholds: ThresholdFields, request: Request) =>
      redrawWithPreview(parts, { ...draft, ...thresholds, isRefilled: !draft.isRefilled }, request),

    save: (draft: WatchDraft, request: Request) => saveDraft(kind, formOf(parts), draft, request),
  };
}

const formOf = (parts: WatchesParts): OwnedForm<Watch, WatchDraft> => ({
  view: watchFormView,
  async load(draft, request, shown) {
    const channelCheck = await checkWatchDraftChannel(draft, request);
    return watchFormView(draft, request, { channelCheck, ...shown });
  },
  problemBlock: markup,
  asNew: (draft) => ({ ...draft, before: '', seen: '' }),
  check: (draft, before, request) => checkDraft(parts, draft, before, request),
  announcements,
  savedText: watchSavedText,
  listVerbs: 'snooze, pause or delete',
});

/** Also asks billing what it would have alerted about. */
async function checkDraft(
  parts: WatchesParts,
  draft: WatchDraft,
  before: Watch | undefined,
  request: Request,
): Promise<CheckedDraft<Watch> | DraftRefusal<WatchDraft>> {
  if (before !== undefined && watchVersion(before) !== draft.seen)
    return { problem: changedText(before, request), draft: { ...draft, seen: watchVersion(before) } };
  const { project, joins } = draft;
  const parsed = ruleFor(draft, request);
  if (project === undefined || 'errors' in parsed) {
    const [problem = ''] = Object.values('errors' in parsed ? parsed.errors : {});
    return { problem: `${problem} ${NOTHING_SAVED}` };
  }
  const target = targetOfDraft(draft);
  const problem = await findTargetProblem({ target, project, joins, before }, request);
  if (problem !== undefined) return { problem: `${problem} ${NOTHING_SAVED}` };
  const previewed = await previewAllowed(parts, draft, request);
  // Managers may get alerts that who sets them up may not see.
  if (previewed === undefined) return { problem: `${CLOSED} ${NOTHING_SAVED}` };
  if (previewed.result instanceof NoData)
    return { problem: `${previewed.result.message} ${CHECK_PROJECT}`, shown: { previewed } };
  const watch = watchFromDraft({ ...draft, project }, parsed.rule, before, request);
  const isArmed = watch.since === request.at && watch.paused === undefined;
  const lines = savedLines(previewed, moneyWriter(project, request.workspace, request.locale), isArmed);
  return { item: watch, savedBlocks: [markup(lines.map(escapeMarkup).join('\n'))] };
}

const CLOSED = 'You can’t ask about this project here.';
const CHECK_PROJECT = `Check the project ID, or choose it with another product. ${NOTHING_SAVED}`;

function changedText(now: Watch, request: Request): string {
  const what = canReadOwned(now, request)
    ? ` It’s now ${watchMarkup(now, request.workspace, request.locale)}.`
    : '';
  return `Somebody else changed this watch first.${what} Save again to replace that.`;
}

function watchFromDraft(
  draft: WatchDraft & { readonly project: ChosenProject },
  rule: WatchRule,
  before: Watch | undefined,
  request: Request,
): Watch {
  const isSameRule =
    before !== undefined &&
    isSameProject(before.project, draft.project) &&
    JSON.stringify(before.rule) === JSON.stringify(rule);
  return {
    ...ownershipFields(before, request),
    project: draft.project,
    rule,
    target: targetOfDraft(draft),
    since: isSameRule ? before.since : request.at,
    ...(before?.paused !== undefined && { paused: before.paused }),
    ...(isSameRule && before.snoozedUntil !== undefined && { snoozedUntil: before.snoozedUntil }),
  };
}

const isPreviewable = (draft: WatchDraft, request: Request): boolean =>
  draft.project !== undefined && 'rule' in ruleFor(draft, request);

/** Slack opens a form only within 3 s of the click, so what takes longer follows. */
async function openForm(parts: WatchesParts, draft: WatchDraft, request: Request): Promise<void> {
  const isPreviewing = isPreviewable(draft, request);
  await request.reply.modal.open(watchFormView(draft, request, { isPreviewing }));
  await completeForm(parts, draft, request);
}

/** Billing is asked first, so the form comes in the place of a view that says so. @throws NotAllowed */
async function openSuggestion({ watching }: WatchesParts, watch: Watch, request: Request): Promise<void> {
  const { modal } = request.reply;
  const draft = draftOfWatch(watch, request.user.id);
  const { id, product } = watch.project;
  const project = resolveProject({ project: id, product }, request.workspace, request);
  await modal.open(suggestingModal);
  try {
    const figures = await watching.askPreview(request.workspace, project, watch.rule);
    const { suggestion } = previewWatch(watch.rule, figures);
    const rule = suggestion ?? watch.rule;
    const notice = [section(suggestion === undefined ? NO_SUGGESTION : SUGGESTED)];
    const previewed = { rule, result: previewWatch(rule, figures) };
    await modal.update(watchFormView({ ...draft, ...fieldsOfRule(rule) }, request, { notice, previewed }));
  } catch (error) {
    if (!isFailure(error)) throw error;
    await modal.update(watchFormView(draft, request, { previewed: { rule: watch.rule, result: error } }));
  }
}

const SUGGESTED = 'Tally filled in a threshold that would have alerted at most once a month. Save to use it.';
const NO_SUGGESTION = 'The threshold alerts at most once a month, so Tally has nothing to suggest.';

async function redrawWithPreview(parts: WatchesParts, draft: WatchDraft, request: Request): Promise<void> {
  const channelCheck = await checkWatchDraftChannel(draft, request);
  const isPreviewing = channelCheck?.problem === undefined && isPreviewable(draft, request);
  await request.reply.modal.update(watchFormView(draft, request, { channelCheck, isPreviewing }));
  if (isPreviewing) await completeForm(parts, draft, request, channelCheck);
}

/** Adds what Slack and billing say, unless something was typed or chosen in between. */
async function completeForm(
  parts: WatchesParts,
  draft: WatchDraft,
  request: Request,
  known?: ChannelCheck,
): Promise<void> {
  const channelCheck = known ?? (await checkWatchDraftChannel(draft, request));
  const previewed = await previewDraft(parts, draft, request, channelCheck);
  if (channelCheck === undefined && !isPreviewable(draft, request)) return;
  await request.reply.modal.updateIfUnchanged(watchFormView(draft, request, { channelCheck, previewed }));
}
