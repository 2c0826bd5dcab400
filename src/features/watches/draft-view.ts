import { currencyOf, moneyWriter } from '../../delivery/watches/alert-wording.ts';
import { previewWatch } from '../../delivery/watches/watch-preview.ts';
import { isFailure } from '../../domain/failure/index.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { type ChosenProject, isSameProject, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { limitedProjects, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { findWatch } from '../../workspace/record/workspace.ts';
import { type WatchFormState, watchForm } from './form.ts';
import { hasThreshold, ruleOfDraft, targetOfDraft, type WatchDraft } from './form-state.ts';
import type { WatchesParts } from './kind.ts';
import type { Previewed } from './preview.ts';
import { checkWatchChannel, findReaderProblem } from './target-check.ts';

type FormExtras = Partial<Pick<WatchFormState, 'channelCheck' | 'previewed' | 'isPreviewing' | 'notice'>>;

export function watchFormView(draft: WatchDraft, request: Request, extras: FormExtras) {
  const { workspace, locale, channel = '' } = request;
  const { project } = draft;
  const known = project && isUnseen(project, draft, request, extras.channelCheck) ? undefined : project;
  const label = currencyOf(known ?? NO_PROJECT, workspace);
  const parsed = ruleOfDraft(draft, label);
  return watchForm({
    ...{ draft, label, channelCheck: undefined, previewed: undefined, isPreviewing: false },
    place: draft.channel === '' ? channel : draft.channel,
    projectName: known ? projectLabel(known, workspace) : project ? `Project ${project.id}` : '',
    money: moneyWriter(known ?? NO_PROJECT, workspace, locale),
    problem: 'errors' in parsed && hasThreshold(draft) ? Object.values(parsed.errors)[0] : undefined,
    isDuplicate:
      known !== undefined &&
      'rule' in parsed &&
      workspace.watches.some((watch) => isSameWatch(watch, draft, parsed.rule)),
    ...extras,
  });
}

const NO_PROJECT: ChosenProject = { id: '', product: 1 };

/** A form may send back a project that the user may not see: then all that is shown of it is what was sent. */
function isUnseen(
  project: ChosenProject,
  draft: WatchDraft,
  { workspace, user, channel = '' }: Request,
  channelCheck: ChannelCheck | undefined,
): boolean {
  const isChannelTheirs = channelCheck !== undefined && channelCheck.problem === undefined;
  const place = isChannelTheirs && draft.to === 'channel' ? draft.channel : channel;
  return !user.canManage && limitedProjects(place, [project], workspace).length > 0;
}

const isSameWatch = (watch: Watch, draft: WatchDraft, rule: WatchRule): boolean =>
  watch.id !== draft.before &&
  draft.project !== undefined &&
  isSameProject(watch.project, draft.project) &&
  JSON.stringify(watch.rule) === JSON.stringify(rule) &&
  JSON.stringify(watch.target) === JSON.stringify(targetOfDraft(draft));

export const checkWatchDraftChannel = (
  draft: WatchDraft,
  request: Request,
): Promise<ChannelCheck> | undefined =>
  draft.to === 'people' || draft.channel === ''
    ? undefined
    : checkWatchChannel(
        draft.channel,
        { before: requireOwned(findWatch, draft.before, request), project: draft.project },
        request,
      );

export const ruleFor = (draft: WatchDraft, { workspace }: Request) =>
  ruleOfDraft(draft, draft.project === undefined ? '' : currencyOf(draft.project, workspace));

/**
 * Asks billing, and simulates the watch, after checking that the user may ask about the project here and that the recipients
 * may see it.
 *
 * @returns undefined otherwise, and while the form is incomplete
 */
export async function previewDraft(
  parts: WatchesParts,
  draft: WatchDraft,
  request: Request,
  channelCheck: ChannelCheck | undefined,
): Promise<Previewed | undefined> {
  const { project } = draft;
  if (project === undefined || !('rule' in ruleFor(draft, request))) return undefined;
  const before = requireOwned(findWatch, draft.before, request);
  const wanted = { target: targetOfDraft(draft), project, before };
  const isChosen = draft.to === 'people' || draft.channel !== '';
  if (isChosen && (await findReaderProblem(wanted, request, channelCheck)) !== undefined) return undefined;
  return previewAllowed(parts, draft, request);
}

/** The same after the check of who would be alerted: a user who may choose the channel may ask there. */
export async function previewAllowed(
  { watching }: WatchesParts,
  draft: WatchDraft,
  request: Request,
): Promise<Previewed | undefined> {
  const { project: chosen, to, channel } = draft;
  const parsed = ruleFor(draft, request);
  if (chosen === undefined || !('rule' in parsed)) return undefined;
  const { rule } = parsed;
  const place = to === 'channel' && channel !== '' ? { channel } : {};
  try {
    const named = { project: chosen.id, product: chosen.product };
    const project = resolveProject(named, request.workspace, { ...request, ...place });
    return { rule, result: previewWatch(rule, await watching.askPreview(request.workspace, project, rule)) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.kind === 'not-allowed' ? undefined : { rule, result: error };
  }
}
