import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { previewWatch } from '../../delivery/watches/watch-service.ts';
import { isFailure } from '../../domain/failure/index.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { newDraft, type OwnedForm, targetOfDraft } from '../../slack/owned/form-state.ts';
import { createOwnedForm, ownershipFields } from '../../slack/owned/owned-form.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Listeners } from '../../slack/server/listeners.ts';
import { MAX_WATCH_PEOPLE, type Watch } from '../../workspace/owned/watch-record.ts';
import { type ChosenProject, currencyOf, isSameProject } from '../../workspace/projects/chosen-project.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import {
  knownProject,
  newWatchFields,
  thresholdErrors,
  typedAmounts,
  type WatchDraft,
  type WatchFormTypes,
  watchBlocks,
  watchFields,
} from './form-state.ts';
import type { OwnedWatches } from './owned-watches.ts';
import type { WatchWords } from './parse.ts';
import type { PreviewOutcome } from './preview.ts';
import { fieldsOfRule, ruleOfDraft } from './thresholds.ts';

const FIELD = 'watch-form';
const LIMITS = { projects: 1, people: MAX_WATCH_PEOPLE } as const;

/** The form, with its buttons that preview. */
export function createWatchForm(kind: OwnedWatches, services: Pick<DeliveryService, 'watching'>) {
  const form = createOwnedForm(watchForm(kind, services));
  const { actions, options, views } = form.listeners;
  return {
    openNew: (words: WatchWords, request: Request) =>
      form.openNew(request, () => {
        const project = typedOrDefaultProject(words, request);
        const projects = project === undefined ? [] : [project];
        return { ...newDraft(projects, LIMITS, request), ...newWatchFields(words) };
      }),
    openFor: form.openFor,
    listeners: {
      views,
      options,
      actions: {
        ...actions,
        'watch-preview': form.onDraft(form.redraw),
      },
    } satisfies Listeners,
  };
}

const watchForm = (
  kind: OwnedWatches,
  services: Pick<DeliveryService, 'watching'>,
): OwnedForm<WatchFormTypes> => ({
  kind,
  field: FIELD,
  max: LIMITS,
  words: {
    create: 'Set up a watch',
    edit: 'Edit watch',
    saving: 'Checking who gets the alerts…',
  },
  inView: {
    blocks: ['projects', 'kind', 'below', 'days', 'amount', 'factor', 'floor'],
    below: 'Send alerts to',
  },
  parse: watchFields,
  errors: (_, draft) => thresholdErrors(draft),
  fieldsOf: ({ rule }) => ({ label: '', ...fieldsOfRule(rule) }),
  hidden: (draft, { unnamed, request }) => {
    const known = knownProject(draft, unnamed);
    return {
      ...typedAmounts(draft),
      label: known === undefined ? '' : currencyOf(known, request.workspace),
    };
  },
  blocks: watchBlocks,
  asks: (draft, request) => 'rule' in ruleFor(draft, request),
  figures: async (draft, request, check) =>
    check?.problem === undefined ? previewDraft(services, draft, request) : undefined,
  /** Also asks billing, so that a project without data is not watched. */
  async build(draft, before, request) {
    const [project] = draft.projects;
    const parsed = ruleFor(draft, request);
    if (project === undefined || 'errors' in parsed) {
      const [problem = ''] = Object.values('errors' in parsed ? parsed.errors : {});
      return { problem };
    }
    const previewed = await previewDraft(services, draft, request);
    // The target may be right, such as a manager, although this user may not ask about the project.
    if (previewed === undefined) return { problem: CLOSED };
    if (isFailure(previewed.result, 'no-data'))
      return { problem: `${previewed.result.message} ${CHECK_PROJECT}`, figures: previewed };
    return { item: watchFromDraft(draft, project, parsed.rule, before, request) };
  },
});

const CLOSED = 'You can’t ask about this project here.';
const CHECK_PROJECT = 'Check the project ID, or choose it with another product.';

const ruleFor = (draft: WatchDraft, { workspace }: Request) => {
  const [project] = draft.projects;
  return project === undefined ? { errors: {} } : ruleOfDraft(draft, currencyOf(project, workspace));
};

const isSameRule = (watch: Watch, project: ChosenProject, rule: WatchRule): boolean =>
  isSameProject(watch.projects[0], project) && JSON.stringify(watch.rule) === JSON.stringify(rule);

function watchFromDraft(
  draft: WatchDraft,
  project: ChosenProject,
  rule: WatchRule,
  before: Watch | undefined,
  request: Request,
): Watch {
  const isSame = before !== undefined && isSameRule(before, project, rule);
  return {
    ...ownershipFields(before, request),
    projects: [project],
    rule,
    ...targetOfDraft(draft),
    since: isSame ? before.since : request.at,
    ...(before?.paused !== undefined && { paused: before.paused }),
    ...(isSame && before.snoozedUntil !== undefined && { snoozedUntil: before.snoozedUntil }),
  };
}

/**
 * Asks billing and simulates the watch, once the target is checked: a user who may choose the channel may ask there.
 * @returns undefined if the user may not ask, and while the form is incomplete
 */
async function previewDraft(
  { watching }: Pick<DeliveryService, 'watching'>,
  draft: WatchDraft,
  request: Request,
): Promise<PreviewOutcome | undefined> {
  const { projects, to, channel } = draft;
  const [chosen] = projects;
  const parsed = ruleFor(draft, request);
  if (chosen === undefined || 'errors' in parsed) return undefined;
  const { rule } = parsed;
  const place = to === 'channel' && channel !== '' ? { channel } : {};
  try {
    const named = { project: chosen.id, product: chosen.product };
    const project = resolveProject(named, request.workspace, { ...request, ...place });
    return {
      rule,
      result: previewWatch(rule, await watching.fetchPreview(request.workspace, project, rule)),
    };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.kind === 'not-allowed' ? undefined : { rule, result: error };
  }
}
