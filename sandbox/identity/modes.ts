/** The modes of the identity service. */
import { htmlReply, jsonReply, type ServiceReply } from '../fake-service.ts';
import { commonModes, type Mode, mode } from '../modes.ts';
import type { ExpiryForm } from './tokens.ts';

/** What a mode can change about normal answers. */
export interface IdentityStyle {
  expiry: ExpiryForm;
  /** Whether tokens can be revoked. */
  revocation: boolean;
  /** Whether tokens can be validated. */
  validation: boolean;
  /** `none`: 201 with the token in the header and an empty body. */
  body: 'whole' | 'none';
  /** Whether the answer has X-Subject-Token. */
  header: boolean;
}

export const DEFAULT_IDENTITY_STYLE: IdentityStyle = {
  expiry: 'mixed',
  revocation: true,
  validation: true,
  body: 'whole',
  header: true,
};

/** An error in Keystone's format, with `extra` fields. */
export function problem(code: number, title: string, message: string, extra: object = {}): ServiceReply {
  return jsonReply(code, JSON.stringify({ error: { code, message, title, ...extra } }));
}

export const unauthorized = (extra: object = {}): ServiceReply =>
  problem(401, 'Unauthorized', 'The request you have made requires authentication.', extra);

export const notFound = (message: string): ServiceReply => problem(404, 'Not Found', message);

export const projectDisabled = (): ServiceReply =>
  notFound('Unable to validate token because project sandbox-project is disabled');

export function version() {
  return { id: 'v3.14', status: 'stable', updated: '2020-04-07T00:00:00Z', 'media-types': [] };
}

export const versionList = (): ServiceReply =>
  jsonReply(300, JSON.stringify({ versions: { values: [version()] } }));

/** As long as Keystone's own, which quotes the schema. */
export function malformed(): ServiceReply {
  const methods = { type: 'array', items: { type: 'string' } };
  const credential = { type: 'object', properties: { id: { type: 'string' }, secret: { type: 'string' } } };
  const identity = {
    type: 'object',
    required: ['methods'],
    properties: { methods, application_credential: credential },
  };
  const dump = JSON.stringify({ type: 'object', required: ['identity'], properties: { identity } }, null, 4);
  return problem(400, 'Bad Request', `Invalid input for field 'auth': it does not fit the schema\n\n${dump}`);
}

export function identityModes(slowFor: number): Mode<IdentityStyle>[] {
  return [
    ...commonModes(slowFor),
    mode('401', 'Access refused', 'Rejects every access, as for a wrong secret (401).', () => unauthorized()),
    mode('404', 'Access unknown', 'Does not find the access, as if it was deleted (404).', () =>
      notFound('Could not find Application Credential: sandbox.'),
    ),
    mode('404-project', 'Project disabled', 'The access’s project is disabled (404).', () =>
      projectDisabled(),
    ),
    mode('404-page', 'Wrong address', 'Does not know the path; answers in HTML (404).', () =>
      htmlReply(404, 'Not Found'),
    ),
    mode('300', 'Version list', 'Lists its versions, as it does without /v3 (300).', () => versionList()),
    mode('308', 'Moved path', 'Redirects to the path without the doubled slash (308).', ({ path }) =>
      htmlReply(308, 'Permanent Redirect', { Location: path.replace(/\/{2,}/g, '/') }),
    ),
    mode('403', 'Forbidden', 'Accepts the access but denies permission (403).', () =>
      problem(403, 'Forbidden', 'You are not authorized to perform the requested action.'),
    ),
    mode('400', 'Malformed', 'Rejects the request with a long message (400).', () => malformed()),
    mode('413', 'Request too large', 'Rejects the request as too large, in HTML (413).', () =>
      htmlReply(413, 'Request Entity Too Large'),
    ),
    mode('429', 'Too many requests', 'Always asks to retry in 20 s (429).', () => ({
      ...problem(429, 'Too Many Requests', 'Too many requests.'),
      headers: { 'Content-Type': 'application/json', 'Retry-After': '20' },
    })),
    mode('500', 'Server error', 'Fails with an internal error, in HTML (500).', () =>
      htmlReply(500, 'Internal Server Error'),
    ),
    mode('502', 'Bad gateway', 'A proxy answers instead, in HTML (502).', () =>
      htmlReply(502, 'Bad Gateway'),
    ),
    mode('503', 'Unavailable', 'Temporarily down, in HTML (503).', () =>
      htmlReply(503, 'Service Unavailable'),
    ),
    mode('lost', 'Lost answer', 'Does what it is asked, then resets the connection.', async (_, ordinary) => {
      await ordinary();
      return 'reset' as const;
    }),
    mode('no-zone', 'Expiry without a zone', 'Sends the expiry time without a zone.', (_, ordinary) =>
      ordinary({ expiry: 'no-zone' }),
    ),
    mode('no-expiry', 'No expiry', 'Leaves out the expiry time.', (_, ordinary) =>
      ordinary({ expiry: 'absent' }),
    ),
    mode('bare', 'Header only', 'Sends the token in the header, without a body.', (_, ordinary) =>
      ordinary({ body: 'none' }),
    ),
    mode('no-token', 'No token', 'Returns 201 without the token.', (_, ordinary) =>
      ordinary({ header: false }),
    ),
    mode('no-revocation', 'No revocation', 'Issues tokens but cannot revoke them (405).', (_, ordinary) =>
      ordinary({ revocation: false }),
    ),
    mode(
      'no-revoking',
      'Revocation refused',
      'Rejects revocations (401); the token stays valid.',
      (asked, ordinary) => (asked.method === 'DELETE' ? unauthorized() : ordinary()),
    ),
    mode('issue-only', 'Issue only', 'Cannot validate or revoke tokens (405).', (_, ordinary) =>
      ordinary({ revocation: false, validation: false }),
    ),
  ];
}
