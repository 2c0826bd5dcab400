/** Submits and closes modals, and applies the bot's response. */
import type { StateValues, Verbs } from '../protocol.ts';
import { elementsOf } from './blocks.ts';
import type { Outcome } from './composer.ts';
import { inputStateOf, problemsOfInputs } from './input-state.ts';
import type { InteractionParts } from './interactions.ts';
import { envelopeOf, userOf, viewOf } from './payloads.ts';
import { teamOf } from './people.ts';
import { type ViewInput, validateView } from './validate-view.ts';
import { type StoredView, WHOLE_VIEW } from './views.ts';

type Loose = Record<string, unknown>;

const CONNECTION_ERROR = 'We had some trouble connecting. Try again?';

export class Submissions {
  constructor(readonly parts: InteractionParts) {}

  async submit({ as, viewId, values }: Verbs['submit']): Promise<Outcome> {
    const { views } = this.parts;
    const frame = this.#onTop(as, viewId);
    if (!frame) return { ok: false, error: 'not_found' };
    if (frame.busy) return { ok: false, error: 'busy' };
    const errors = problemsOfInputs(frame.view.blocks, inputStateOf(frame.view.blocks, values));
    if (Object.keys(errors).length > 0) {
      views.mark(frame, { errors });
      return { ok: false, error: 'invalid_input' };
    }
    views.mark(frame, { errors: {}, busy: true });
    const outcome = await this.#send(frame, values);
    views.mark(frame, { busy: false });
    return outcome;
  }

  async close({ as, viewId }: Verbs['close']): Promise<Outcome> {
    const { workspace, views, delivery } = this.parts;
    const frame = this.#onTop(as, viewId);
    const person = workspace.person(as);
    if (!frame || !person) return { ok: false, error: 'not_found' };
    const isCleared = frame.view.clear_on_close === true;
    if (isCleared) views.clear(as);
    else views.close(frame);
    if (frame.view.notify_on_close) {
      const payload = {
        type: 'view_closed',
        ...envelopeOf(workspace),
        user: userOf(person),
        view: viewOf(frame),
      };
      await delivery().send('interactive', { ...payload, is_cleared: isCleared });
    }
    return { ok: true };
  }

  async #send(frame: StoredView, values: StateValues): Promise<Outcome> {
    const { workspace, triggers, delivery } = this.parts;
    const person = workspace.person(frame.person);
    if (!person) return { ok: false, error: 'user_not_found' };
    const ack = await delivery().send('interactive', {
      type: 'view_submission',
      ...envelopeOf(workspace),
      // The user's own team. The view's `app_installed_team_id` is the team with the app.
      team: { ...envelopeOf(workspace).team, id: teamOf(person) },
      user: userOf(person),
      trigger_id: triggers.issue({ person: person.id, viewId: frame.id }),
      view: viewOf(frame, values),
      response_urls: this.#responseUrls(frame, inputStateOf(frame.view.blocks, values)),
    });
    const problem = ack.how === 'acked' ? this.applyAcknowledgement(frame, ack.body) : ack.how;
    if (problem === undefined) return { ok: true };
    this.parts.views.mark(frame, { errors: { [WHOLE_VIEW]: CONNECTION_ERROR } });
    if (ack.how === 'acked') this.parts.complain(`view_submission: ${problem}`);
    return { ok: false, error: CONNECTION_ERROR };
  }

  /** Applies the `response_action`; returns what is wrong with it, if anything. */
  applyAcknowledgement(frame: StoredView, body: unknown): string | undefined {
    const { views } = this.parts;
    const { response_action: action, view, errors } = (body ?? {}) as Loose;
    if (body === undefined || Object.keys(body as Loose).length === 0) {
      if (views.top(frame.person) === frame) views.close(frame);
      return undefined;
    }
    if (action === 'clear') views.clear(frame.person);
    else if (action === 'errors') return this.#showErrors(frame, errors);
    else if (action === 'update')
      return this.#withView(view, (given) => {
        views.replace(frame, given);
        return undefined;
      });
    else if (action === 'push')
      return this.#withView(view, (given) =>
        views.push(frame.person, given) ? undefined : 'push_limit_reached',
      );
    else return `unknown response_action ${String(action)}`;
    return undefined;
  }

  #withView(view: unknown, use: (view: ViewInput) => string | undefined): string | undefined {
    const verdict = validateView(view, 'modal');
    if (verdict.ok) return use(verdict.view);
    return [verdict.error, ...verdict.problems].join('; ');
  }

  #showErrors(frame: StoredView, errors: unknown): string | undefined {
    const sentences = (typeof errors === 'object' && errors !== null ? errors : {}) as Record<
      string,
      unknown
    >;
    const inputs = frame.view.blocks.filter(({ type }) => type === 'input').map(({ block_id }) => block_id);
    const unknown = Object.keys(sentences).filter((id) => !inputs.includes(id));
    if (unknown.length > 0) return `errors for unknown input blocks: ${unknown.join(', ')}`;
    if (Object.keys(sentences).length === 0) return 'empty errors';
    if (!Object.values(sentences).every((sentence) => typeof sentence === 'string' && sentence !== ''))
      return 'errors must be non-empty texts';
    this.parts.views.mark(frame, { errors: sentences as Record<string, string> });
    return undefined;
  }

  /** One for every conversation that was chosen with `response_url_enabled`. */
  #responseUrls(frame: StoredView, state: StateValues): Loose[] {
    return frame.view.blocks.flatMap((block) =>
      elementsOf(block).flatMap((element) => {
        const block_id = String(block.block_id);
        const action_id = String(element.action_id);
        const held = state[block_id]?.[action_id];
        const channel = held?.selected_conversation ?? held?.selected_channel;
        if (element.response_url_enabled !== true || !channel) return [];
        const response_url = this.parts.responses.issue({ person: frame.person, channel });
        return [{ block_id, action_id, channel_id: channel, response_url }];
      }),
    );
  }

  #onTop(as: string, viewId: string): StoredView | undefined {
    const top = this.parts.views.top(as);
    return top?.id === viewId ? top : undefined;
  }
}
