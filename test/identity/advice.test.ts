import { describe, expect, it } from 'vitest';
import {
  AccessNotFound,
  AccessRefused,
  type Failure,
  InvalidResponse,
  OutcomeUnclear,
  ProjectDisabled,
  RedirectRefused,
  ResponseTooLarge,
  ServiceFailed,
  ServiceUnreachable,
  WrongIdentityUrl,
} from '../../src/domain/failure/index.ts';
import { errorModalOf, failureMessage } from '../../src/slack/reply/error-reply.ts';

const SUGGESTION = 'https://identity.example.com/v3';

const FAILURES: readonly (readonly [Failure, string])[] = [
  [new AccessRefused(401), 'Its secret may be wrong or expired'],
  [new AccessRefused(403), 'Its role may not allow that'],
  [new AccessNotFound(), 'or it was deleted'],
  [new ProjectDisabled(), 'disabled or deleted'],
  [new WrongIdentityUrl('identity.example.com', 404, SUGGESTION), SUGGESTION],
  [new WrongIdentityUrl('identity.example.com', 404), 'ends with /v3'],
  [new OutcomeUnclear('identity.example.com'), 'nobody has seen it, and it expires by itself.'],
];

describe('a rejection by the identity service', () => {
  it.each(FAILURES)('comes with what to do about it: %s', (failure, advice) => {
    for (const shown of [failureMessage(failure, {}), errorModalOf({ failure, id: '4f2a' }, {}, false)]) {
      const read = JSON.stringify(shown);
      expect(read).toContain(failure.message);
      expect(read).toContain(advice);
    }
  });

  it.each([
    new ServiceUnreachable('identity', 'identity.example.com', 'ECONNREFUSED'),
    new RedirectRefused('identity', 308, 'https://elsewhere.example.com/v3'),
    new InvalidResponse('identity', 'text that is not UTF-8'),
    new ServiceFailed('identity', 400),
    new ResponseTooLarge('identity', 4 * 1024 * 1024),
  ])('sends managers to the form that has its address: %s', (failure) => {
    const read = JSON.stringify(failureMessage(failure, {}));
    expect(read).toContain('/billing projects access');
    expect(read).not.toContain('/billing connect');
  });

  it('can be retried by hand when the outcome is unclear', () => {
    const rerun = { command: '/os-token', text: '123' } as const;
    const reply = failureMessage(new OutcomeUnclear('identity.example.com'), { command: rerun });
    expect(JSON.stringify(reply)).toContain('Try again');
  });
});
