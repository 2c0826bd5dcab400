/** Each person's stack of modals, and their App Home. */
import type { View } from '@slack/types';
import type { OpenView } from '../protocol.ts';
import { LIMITS } from './limits.ts';
import { type ViewInput, withIds } from './validate-view.ts';
import { randomId } from './workspace.ts';

export interface StoredView {
  id: string;
  team: string;
  person: string;
  view: ViewInput;
  errors: Record<string, string>;
  busy: boolean;
  hash: string;
  rootId: string;
  previousId: string | null;
}

/** The key of an error about the whole modal, beside block IDs. */
export const WHOLE_VIEW = '';

export class Views {
  readonly #stacks = new Map<string, StoredView[]>();
  readonly #homes = new Map<string, StoredView>();
  #changes = 0;

  constructor(
    readonly team: string,
    readonly now: () => number,
    readonly changed: () => void,
  ) {}

  /** Bottom first. */
  stack(person: string): readonly StoredView[] {
    return this.#stacks.get(person) ?? [];
  }

  top(person: string): StoredView | undefined {
    return this.stack(person).at(-1);
  }

  home(person: string): StoredView | undefined {
    return this.#homes.get(person);
  }

  /** An open modal or a published Home. */
  find(id: string): StoredView | undefined {
    return this.#all().find((frame) => frame.id === id);
  }

  findExternal(externalId: string): StoredView | undefined {
    return this.#all().find(({ view }) => view.external_id === externalId);
  }

  /** Replaces the whole stack. */
  open(person: string, view: ViewInput): StoredView {
    const frame = this.#frame(person, view, null);
    this.#keep(person, [frame]);
    return frame;
  }

  /** Returns undefined when the stack has three views already. */
  push(person: string, view: ViewInput): StoredView | undefined {
    const stack = this.stack(person);
    if (stack.length >= LIMITS.view.depth) return undefined;
    const below = stack.at(-1);
    const frame = this.#frame(person, view, below ?? null);
    this.#keep(person, [...stack, frame]);
    return frame;
  }

  /** Slack keeps what was typed in elements whose block ID and action ID stay the same; the page does that. */
  replace(frame: StoredView, view: ViewInput): void {
    frame.view = { ...view, blocks: withIds(view.blocks, randomId) };
    frame.errors = {};
    frame.hash = this.#hash();
    this.changed();
  }

  publish(person: string, view: ViewInput): StoredView {
    const before = this.#homes.get(person);
    if (before) {
      this.replace(before, view);
      return before;
    }
    const frame = this.#frame(person, view, null);
    this.#homes.set(person, frame);
    this.changed();
    return frame;
  }

  mark(frame: StoredView, changes: Partial<Pick<StoredView, 'errors' | 'busy'>>): void {
    Object.assign(frame, changes);
    this.changed();
  }

  /** Closes this modal and all above it. */
  close(frame: StoredView): void {
    const stack = this.stack(frame.person);
    this.#keep(frame.person, stack.slice(0, Math.max(0, stack.indexOf(frame))));
  }

  clear(person: string): void {
    this.#keep(person, []);
  }

  #all(): StoredView[] {
    return [...this.#stacks.values()].flat().concat([...this.#homes.values()]);
  }

  #keep(person: string, stack: StoredView[]): void {
    this.#stacks.set(person, stack);
    this.changed();
  }

  #frame(person: string, view: ViewInput, below: StoredView | null): StoredView {
    const id = `V${randomId(10)}`;
    return {
      id,
      team: this.team,
      person,
      view: { ...view, blocks: withIds(view.blocks, randomId) },
      errors: {},
      busy: false,
      hash: this.#hash(),
      rootId: below?.rootId ?? id,
      previousId: below?.id ?? null,
    };
  }

  #hash(): string {
    this.#changes += 1;
    return `${Math.floor(this.now() / 1000)}.${randomId(4)}${this.#changes}`;
  }
}

export function toOpenView({ id, view, errors, busy, hash }: StoredView): OpenView {
  return { id, view: view as unknown as View, errors, busy, hash };
}
