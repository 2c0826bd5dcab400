import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import { errorModalOf, failureMessage } from '../../src/slack/reply/error-reply.ts';

const FAILURES: readonly (readonly [Failure, string])[] = [
  [new Failure('access-refused', { status: 401 }), 'Its secret may be wrong or expired'],
  [new Failure('access-refused', { status: 403 }), 'Its role may be too limited'],
  [new Failure('access-not-found'), 'or it was deleted'],
  [new Failure('project-disabled'), 'disabled or deleted'],
  [new Failure('wrong-identity-url', { host: 'identity.example.com', status: 404 }), 'ends with /v3'],
  [
    new Failure('outcome-unclear', { host: 'identity.example.com' }),
    'nobody has seen it, and it will expire.',
  ],
];

describe('an error message about the identity service', () => {
  it.each(FAILURES)('says what to do: %s', (failure, advice) => {
    for (const shown of [failureMessage(failure, {}), errorModalOf({ failure, id: '4f2a' }, {}, false)]) {
      const read = JSON.stringify(shown);
      expect(read).toContain(failure.message);
      expect(read).toContain(advice);
    }
  });

  it.each([
    new Failure('service-unreachable', {
      service: 'identity',
      host: 'identity.example.com',
      code: 'ECONNREFUSED',
      isClosed: false,
    }),
    new Failure('redirect-refused', {
      service: 'identity',
      status: 308,
      target: 'https://elsewhere.example.com/v3',
    }),
    new Failure('invalid-response', { service: 'identity', what: 'text that is not UTF-8' }),
    new Failure('service-failed', { service: 'identity', status: 400 }),
    new Failure('response-too-large', { service: 'identity', most: '4096 KB' }),
  ])('links to the form in which the address can be changed: %s', (failure) => {
    const read = JSON.stringify(failureMessage(failure, {}));
    expect(read).toContain('/billing projects access');
    expect(read).not.toContain('/billing connect');
  });

  it('offers a retry if a token may have been issued', () => {
    const rerun = { command: '/os-token', text: '123' } as const;
    const reply = failureMessage(new Failure('outcome-unclear', { host: 'identity.example.com' }), {
      command: rerun,
    });
    expect(JSON.stringify(reply)).toContain('Try again');
  });
});
