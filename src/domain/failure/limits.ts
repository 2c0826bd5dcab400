/** What Tally itself does not let happen too often. */
import { FailureBase } from './base.ts';

/** More than one person, or all of a workspace, may ask in a short time. `wait` in ms, until one more is possible. */
export class Throttled extends FailureBase<'throttled'> {
  /** @param doing completes "You're …" */
  constructor(
    readonly whose: 'person' | 'workspace',
    doing: string,
    readonly wait: number,
  ) {
    super('throttled', `${whose === 'person' ? 'You’re' : 'Your workspace is'} ${doing}.`);
  }
}

export type LimitFailure = Throttled;
