import type { InputBlock, ModalView } from '@slack/types';
import type { ActionName } from '../../domain/command-names.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { projectOption } from '../commands/project-picker.ts';
import { type Block, compact, markup, option, plainText, section } from '../kit/blocks.ts';
import { choiceInput, input, peopleInput, searchInput } from '../kit/inputs.ts';
import { modal } from '../kit/modal.ts';
import { type ChannelCheck, checkChannel } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import {
  type DrawnParts,
  encodeMetadata,
  type FormDraft,
  type FormLimits,
  type FormTypes,
  type FormView,
  type OwnedDraft,
  type OwnedForm,
  targetFields,
  targetOfDraft,
} from './form-state.ts';
import { requireOwned } from './owned-kind.ts';
import { checkTarget, findTargetProblem, nameProject, unnamedProjects } from './target-check.ts';

export type FormDrawing<K extends FormTypes> = ReturnType<typeof createFormDrawing<K>>;

/** Draws a form, and what it says about its target and its figures. */
export function createFormDrawing<K extends FormTypes>(form: OwnedForm<K>) {
  const { kind, field, max, words } = form;
  type Draft = FormDraft<K>;

  /** A manager may keep the channel of what they edit without being in it. @throws not-allowed when the user may not edit it */
  const checkerOf = (draft: Draft, request: Request) => {
    const before = requireOwned(kind.find, draft.before, request);
    const kept = request.user.canManage ? before?.channel : undefined;
    return (channel: string) => checkChannel(channel, request, channel === kept);
  };
  const deliveryOf = (draft: Draft) => ({ ...targetOfDraft(draft), projects: draft.projects });

  /** @returns undefined while no target is chosen */
  async function check(draft: Draft, request: Request): Promise<ChannelCheck | undefined> {
    const checkOf = checkerOf(draft, request);
    const isChosen = draft.to === 'people' || draft.channel !== '';
    return isChosen ? checkTarget(deliveryOf(draft), request, checkOf) : undefined;
  }

  /** Checks the target and gets the figures, unless they have to be asked for. */
  async function load(draft: Draft, request: Request): Promise<FormView<K>> {
    const checked = await check(draft, request);
    return checked?.problem === undefined && form.asks(draft, request)
      ? { check: checked, isAsking: true }
      : { check: checked, figures: await form.figures(draft, request, checked) };
  }

  function view(draft: Draft, request: Request, shown: FormView<K>): ModalView {
    const { notice = [] } = shown;
    // A form may send back a channel that the user is not in, or a project that they may not see.
    const isTheirs = draft.to === 'channel' && shown.check !== undefined && shown.check.problem === undefined;
    const unnamed = unnamedProjects(draft.projects, request, isTheirs ? draft.channel : request.channel);
    const nameOf = (project: ChosenProject) => nameProject(project, unnamed, request);
    const parts: DrawnParts<K> = {
      ...shown,
      unnamed,
      request,
      projects: projectsInput(field, draft.projects, nameOf, max, words.projectsHint),
      target: targetInputs(field, draft, shown.check, max, kind.sends),
      live: (input, isRefilled) => liveInput(field, input, isRefilled),
    };
    const blocks = [...notice, ...form.blocks(draft, parts)];
    const drawn = new Set(blocks.map((block) => 'block_id' in block && block.block_id));
    const values = { ...targetFields(draft, max), ...form.hidden(draft, parts) };
    const hidden = Object.fromEntries(Object.entries(values).filter(([block]) => !drawn.has(block)));
    return modal({
      callback: kind.kind,
      metadata: encodeMetadata(draft, hidden),
      title: draft.before === '' ? words.create : words.edit,
      submit: 'Save',
      blocks,
    });
  }

  return {
    load,
    view,

    /** Slack opens a form only within 3 s of the click, so what takes longer follows. */
    async open(draft: Draft, request: Request): Promise<void> {
      const { modal: reply } = request.reply;
      const isAsking = form.asks(draft, request);
      const known = isAsking ? undefined : await form.figures(draft, request, undefined);
      await reply.open(view(draft, request, { figures: known, isAsking }));
      const checked = await check(draft, request);
      if (checked === undefined && !isAsking) return;
      const figures = isAsking ? await form.figures(draft, request, checked) : known;
      await reply.redraw(view(draft, request, { check: checked, figures }));
    },

    async redraw(draft: Draft, request: Request): Promise<void> {
      const { modal: reply } = request.reply;
      const shown = await load(draft, request);
      await reply.redraw(view(draft, request, shown));
      if (!shown.isAsking) return;
      const figures = await form.figures(draft, request, shown.check);
      await reply.redraw(view(draft, request, { check: shown.check, figures }));
    },

    /** Joins the channel if that is wanted and needed. @returns why nothing can be sent there, as a mrkdwn sentence */
    findProblem: (draft: Draft, request: Request) =>
      findTargetProblem(deliveryOf(draft), request, checkerOf(draft, request)),
  };
}

/** Added to the action ID of a field that Tally fills in: Slack keeps a field's value for as long as its IDs stay. */
const REFILLED = ':refilled';

/** A field whose change redraws the form: Slack sends a choice at once, a text when Enter is pressed. */
const liveInput = (action: ActionName, field: InputBlock, isRefilled = false): InputBlock => ({
  ...field,
  dispatch_action: true,
  element: { ...field.element, action_id: `${action}:${field.block_id}${isRefilled ? REFILLED : ''}` },
});

/** @param hint where several projects can be chosen */
function projectsInput(
  action: ActionName,
  projects: readonly ChosenProject[],
  nameOf: (project: ChosenProject) => string,
  { projects: max }: FormLimits,
  hint?: string,
): InputBlock {
  const chosen = projects.map((project) => projectOption(project, nameOf(project)));
  const placeholder = 'prod, or 123';
  const [initial] = chosen;
  const field =
    max === 1
      ? input(
          { block: 'projects', label: 'Project' },
          {
            type: 'external_select',
            min_query_length: 0,
            placeholder: plainText(placeholder),
            ...(initial !== undefined && { initial_option: initial }),
          },
        )
      : searchInput({
          block: 'projects',
          action: '',
          label: 'Projects',
          ...(hint !== undefined && { hint }),
          placeholder,
          initial: chosen,
          max,
        });
  return { ...liveInput(action, field), optional: false };
}

/**
 * Where posts or alerts go, and what is wrong with that or worth knowing.
 * @param sends what goes there: `alerts`
 */
function targetInputs(
  action: ActionName,
  { to, channel, people }: OwnedDraft,
  check: ChannelCheck | undefined,
  { people: max }: FormLimits,
  sends: string,
): readonly (Block | InputBlock)[] {
  const { problem, warnings = [], canJoin = false } = check ?? {};
  return compact([
    max > 0 &&
      liveInput(
        action,
        choiceInput({
          block: 'to',
          label: `Send ${sends} to`,
          options: [option('A channel', 'channel'), option('People, by direct message', 'people')],
          initial: to,
        }),
      ),
    to === 'people'
      ? peopleInput({
          block: 'people',
          label: 'People',
          hint: 'Full members of this workspace.',
          initial: people,
          max,
          optional: false,
        })
      : liveInput(action, channelInput(channel, `Everyone there sees the ${sends}, and who set them up.`)),
    problem === undefined ? warnings.length > 0 && section(warnings.join(' ')) : markup(problem),
    problem === undefined && canJoin && section('Tally isn’t in that channel yet. It joins when you save.'),
  ]);
}

const channelInput = (channel: OwnedDraft['channel'], hint: string): InputBlock =>
  input(
    { block: 'channel', label: 'Channel', hint },
    {
      type: 'conversations_select',
      placeholder: plainText('Choose a channel'),
      filter: { include: ['public', 'private'] },
      ...(channel !== '' && { initial_conversation: channel }),
    },
  );
