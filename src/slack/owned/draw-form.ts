import type { ModalView } from '@slack/types';
import { channelOf } from '../../workspace/owned/stop-reasons.ts';
import { section } from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import { type ChannelCheck, checkChannel } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import { liveInput, projectsInput, targetInputs } from './form-fields.ts';
import { encodeMetadata, type OwnedDraft, targetFields, targetOfDraft } from './form-state.ts';
import type { DrawnParts, FormDraft, FormTypes, OwnedForm, Shown } from './owned-form.ts';
import { type OwnedKind, requireOwned } from './owned-kind.ts';
import type { OwnedItem } from './ownership.ts';
import { checkTarget, findTargetProblem, nameProject, unnamedProjects } from './target-check.ts';

export function viewOf<K extends FormTypes>(
  form: OwnedForm<K>,
  draft: FormDraft<K>,
  request: Request,
  shown: Shown<K>,
): ModalView {
  const { kind, field, max, words } = form;
  const { check, notice = [] } = shown;
  // A form may send back a channel that the user is not in, or a project that they may not see.
  const isTheirs = draft.to === 'channel' && check !== undefined && check.problem === undefined;
  const unnamed = unnamedProjects(draft.projects, request, isTheirs ? draft.channel : request.channel);
  const isDuplicate =
    unnamed.length === 0 &&
    kind.all(request.workspace).some((item) => item.id !== draft.before && form.isSame(draft, item, request));
  const parts: DrawnParts<K> = {
    ...shown,
    ...{ unnamed, request },
    projects: projectsInput(
      field,
      draft.projects,
      (project) => nameProject(project, unnamed, request),
      max,
      words.projectsHint,
    ),
    target: targetInputs(field, draft, check, max, words.sends),
    duplicate: isDuplicate ? [section(words.duplicate)] : [],
    live: (input, isRefilled) => liveInput(field, input, isRefilled),
  };
  const blocks = [...notice, ...form.blocks(draft, parts)];
  const drawn = new Set(blocks.map((block) => 'block_id' in block && block.block_id));
  const values = { ...targetFields(draft), ...form.hidden(draft, parts) };
  const hidden = Object.fromEntries(Object.entries(values).filter(([block]) => !drawn.has(block)));
  return modal({
    callback: kind.kind,
    metadata: encodeMetadata(draft, hidden),
    title: draft.before === '' ? words.create : words.edit,
    submit: 'Save',
    blocks,
  });
}

/** Slack opens a form only within 3 s of the click, so what takes longer follows. */
export async function openForm<K extends FormTypes>(
  form: OwnedForm<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<void> {
  const { modal: reply } = request.reply;
  const isAsking = form.asks(draft, request);
  const figures = isAsking ? undefined : await form.figures(draft, request, undefined);
  await reply.open(viewOf(form, draft, request, { figures, isAsking }));
  const check = await checkDraft(form, draft, request);
  if (check === undefined && !isAsking) return;
  const asked = isAsking ? await form.figures(draft, request, check) : figures;
  await reply.redraw(viewOf(form, draft, request, { check, figures: asked }));
}

export async function redrawForm<K extends FormTypes>(
  form: OwnedForm<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<void> {
  const { modal: reply } = request.reply;
  const shown = await load(form, draft, request);
  await reply.redraw(viewOf(form, draft, request, shown));
  if (!shown.isAsking) return;
  const figures = await form.figures(draft, request, shown.check);
  await reply.redraw(viewOf(form, draft, request, { check: shown.check, figures }));
}

export async function load<K extends FormTypes>(
  form: OwnedForm<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<Shown<K>> {
  const check = await checkDraft(form, draft, request);
  if (check?.problem === undefined && form.asks(draft, request)) return { check, isAsking: true };
  return { check, figures: await form.figures(draft, request, check) };
}

/** A manager may keep the channel of what they edit without being in it. @throws NotAllowed when the user may not edit it */
const checkChannelOf =
  <T extends OwnedItem>({ kind }: { readonly kind: OwnedKind<T> }, draft: OwnedDraft, request: Request) =>
  (channel: string): Promise<ChannelCheck> => {
    const before = requireOwned(kind.find, draft.before, request);
    const isKept = request.user.canManage && before !== undefined && channelOf(before) === channel;
    return checkChannel(channel, request, isKept);
  };

/** @returns undefined while no target is chosen */
async function checkDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<ChannelCheck | undefined> {
  requireOwned(form.kind.find, draft.before, request);
  const { to, channel, projects } = draft;
  if (to === 'channel' && channel === '') return undefined;
  return checkTarget(
    { target: targetOfDraft(draft), projects },
    request,
    checkChannelOf(form, draft, request),
  );
}

/** Joins the channel if that is wanted and needed. @returns why nothing can be sent there, as a mrkdwn sentence */
export const findDraftProblem = <T extends OwnedItem>(
  form: { readonly kind: OwnedKind<T> },
  draft: OwnedDraft,
  request: Request,
): Promise<string | undefined> =>
  findTargetProblem({ target: targetOfDraft(draft), projects: draft.projects }, request, {
    joins: draft.joins,
    checkOf: checkChannelOf(form, draft, request),
  });
