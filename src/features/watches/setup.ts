import { moneyWriter } from '../../delivery/watches/alert-wording.ts';
import { previewWatch } from '../../delivery/watches/watch-preview.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-search.ts';
import { markup, section } from '../../slack/kit/atoms.ts';
import { fullText } from '../../slack/owned/actions.ts';
import { announce } from '../../slack/owned/ownership.ts';
import type { ChannelCheck } from '../../slack/request/channel-check.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { announcements, watchSavedText } from './blocks.ts';
import { checkWatchDraftChannel, previewDraft, ruleFor, watchFormView } from './draft-view.ts';
import { suggestingModal, watchSavedModal } from './form.ts';
import { draftOfWatch, fieldsOfRule, newWatchDraft, type WatchDraft } from './form-state.ts';
import type { OwnedWatches, WatchesParts } from './kind.ts';
import { storeDraft } from './saving.ts';
import type { ThresholdFields, WatchWords } from './words.ts';

/** The form: opened, redrawn at each change, previewed and saved. What it sends back is checked each time. */
export function createWatchForm(kind: OwnedWatches, parts: WatchesParts) {
  return {
    async openNew(words: WatchWords, request: Request): Promise<void> {
      const { user, channel } = request;
      const full = fullText(kind, request);
      if (full !== undefined) return request.reply.update({ text: full, blocks: [section(full)] });
      const project = typedOrDefaultProject(words, request);
      await openForm(parts, newWatchDraft(words, project, { channel, person: user.id }), request);
    },

    async openFor(watch: Watch, request: Request): Promise<void> {
      await openForm(parts, draftOfWatch(watch, request.user.id), request);
    },

    /** With the threshold that would have alerted at most once a month. @throws NotAllowed */
    openSuggestion: (watch: Watch, request: Request) => openSuggestion(parts, watch, request),

    /** After a field changed: what billing says is shown once it is known. */
    redraw: (draft: WatchDraft, request: Request) => redrawWithPreview(parts, draft, request),

    /** For thresholds that Tally filled in: Slack only shows them under another action ID. */
    refill: (draft: WatchDraft, thresholds: ThresholdFields, request: Request) =>
      redrawWithPreview(parts, { ...draft, ...thresholds, isRefilled: !draft.isRefilled }, request),

    async save(draft: WatchDraft, request: Request): Promise<void> {
      const saved = await storeDraft(kind, parts, draft, request);
      if (saved === undefined) return;
      await parts.watching.changed(request.user.teamId);
      const { watch, previewed } = saved;
      const problems = await announce(announcements(watch, request, draft.before !== ''), request);
      const text = [watchSavedText(watch, request), ...problems].join('\n');
      const money = moneyWriter(watch.project, request.workspace, request.locale);
      const isArmed = watch.since === request.at && watch.paused === undefined;
      const fallback = { text: 'Watch saved.', blocks: [markup(text)] };
      await request.reply.modal.update(watchSavedModal(text, previewed, money, isArmed), fallback);
    },
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
  const project = resolveProject({ project: id, product }, request.workspace, askLocation(request));
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
