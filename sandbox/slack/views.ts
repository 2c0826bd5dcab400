/** Everybody's modals, as a stack, and everybody's App Home. */
import type { View } from '@slack/types';
import type { OpenView } from '../protocol.ts';
import { LIMITS } from './limits.ts';
import { type GivenView, withIds } from './view-shape.ts';
import { invent } from './workspace.ts';

export interface Frame {
  id: string;
  team: string;
  person: string;
  view: GivenView;
  errors: Record<string, string>;
  busy: boolean;
  hash: string;
  rootId: string;
  previousId: string | null;
}

/** Where a sentence about the whole modal stands among the errors of its blocks. */
export const WHOLE_VIEW = '';

export class Views {
  readonly #stacks = new Map<string, Frame[]>();
  readonly #homes = new Map<string, Frame>();
  #changes = 0;

  constructor(
    readonly team: string,
    readonly now: () => number,
    readonly changed: () => void,
  ) {}

  /** Bottom first. */
  stack(person: string): readonly Frame[] {
    return this.#stacks.get(person) ?? [];
  }

  top(person: string): Frame | undefined {
    return this.stack(person).at(-1);
  }

  home(person: string): Frame | undefined {
    return this.#homes.get(person);
  }

  /** An open modal or a published Home. */
  find(id: string): Frame | undefined {
    return this.#all().find((frame) => frame.id === id);
  }

  findExternal(externalId: string): Frame | undefined {
    return this.#all().find(({ view }) => view.external_id === externalId);
  }

  /** Takes the place of whatever was open. */
  open(person: string, view: GivenView): Frame {
    const frame = this.#frame(person, view, null);
    this.#keep(person, [frame]);
    return frame;
  }

  /** Nothing when the stack is as high as it may be. */
  push(person: string, view: GivenView): Frame | undefined {
    const stack = this.stack(person);
    if (stack.length >= LIMITS.view.depth) return undefined;
    const below = stack.at(-1);
    const frame = this.#frame(person, view, below ?? null);
    this.#keep(person, [...stack, frame]);
    return frame;
  }

  /** Slack keeps what was typed wherever block and element keep their ids: so does the page, by those ids. */
  replace(frame: Frame, view: GivenView): void {
    frame.view = { ...view, blocks: withIds(view.blocks, invent) };
    frame.errors = {};
    frame.hash = this.#hash();
    this.changed();
  }

  publish(person: string, view: GivenView): Frame {
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

  mark(frame: Frame, marks: Partial<Pick<Frame, 'errors' | 'busy'>>): void {
    Object.assign(frame, marks);
    this.changed();
  }

  /** Takes this modal off its stack, with all that lie on it. */
  close(frame: Frame): void {
    const stack = this.stack(frame.person);
    this.#keep(frame.person, stack.slice(0, Math.max(0, stack.indexOf(frame))));
  }

  clear(person: string): void {
    this.#keep(person, []);
  }

  #all(): Frame[] {
    return [...this.#stacks.values()].flat().concat([...this.#homes.values()]);
  }

  #keep(person: string, stack: Frame[]): void {
    this.#stacks.set(person, stack);
    this.changed();
  }

  #frame(person: string, view: GivenView, below: Frame | null): Frame {
    const id = `V${invent(10)}`;
    return {
      id,
      team: this.team,
      person,
      view: { ...view, blocks: withIds(view.blocks, invent) },
      errors: {},
      busy: false,
      hash: this.#hash(),
      rootId: below?.rootId ?? id,
      previousId: below?.id ?? null,
    };
  }

  #hash(): string {
    this.#changes += 1;
    return `${Math.floor(this.now() / 1000)}.${invent(4)}${this.#changes}`;
  }
}

export function shownView({ id, view, errors, busy, hash }: Frame): OpenView {
  return { id, view: view as unknown as View, errors, busy, hash };
}
