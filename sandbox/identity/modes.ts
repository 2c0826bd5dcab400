/** The moods of the identity service. */
import { htmlReply, jsonReply, type ServiceReply } from '../fake-service.ts';
import { commonModes, type Mode, mode } from '../modes.ts';
import type { ExpiryForm } from './tokens.ts';

/** What a mode can change about ordinary answers. */
export interface IdentityStyle {
  expiry: ExpiryForm;
  /** Whether tokens can be given back. */
  revocation: boolean;
  /** Whether it tells if a token is alive. */
  validation: boolean;
  /** `none`: 201 with the token in its header and an empty body. */
  body: 'whole' | 'none';
  /** Whether the answer carries X-Subject-Token. */
  header: boolean;
}

export const DEFAULT_IDENTITY_STYLE: IdentityStyle = {
  expiry: 'mixed',
  revocation: true,
  validation: true,
  body: 'whole',
  header: true,
};

/** A refusal in the identity API's own words. `extra` stands beside the message. */
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

/** As long as the real one: it quotes the schema that the body does not fit. */
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
    mode('401', 'Access refused', 'Rejects every access, as with a wrong secret (401).', () =>
      unauthorized(),
    ),
    mode('404', 'Access unknown', 'Cannot find the access, as when it was deleted (404).', () =>
      notFound('Could not find Application Credential: sandbox.'),
    ),
    mode('404-project', 'Project disabled', 'Finds the project of the access disabled (404).', () =>
      projectDisabled(),
    ),
    mode('404-page', 'Wrong address', 'Has no such path, in HTML (404).', () => htmlReply(404, 'Not Found')),
    mode('300', 'Version list', 'Lists its versions instead, as without /v3 (300).', () => versionList()),
    mode('308', 'Moved path', 'Points to the path without its doubled slash (308).', ({ path }) =>
      htmlReply(308, 'Permanent Redirect', { Location: path.replace(/\/{2,}/g, '/') }),
    ),
    mode('403', 'Forbidden', 'Knows the access and does not let it (403).', () =>
      problem(403, 'Forbidden', 'You are not authorized to perform the requested action.'),
    ),
    mode('400', 'Malformed', 'Finds the request malformed, at length (400).', () => malformed()),
    mode('413', 'Request too large', 'Finds the request too large, in HTML (413).', () =>
      htmlReply(413, 'Request Entity Too Large'),
    ),
    mode('429', 'Too many requests', 'Always asks to come back in 20 s (429).', () => ({
      ...problem(429, 'Too Many Requests', 'Too many requests.'),
      headers: { 'Content-Type': 'application/json', 'Retry-After': '20' },
    })),
    mode('500', 'Overloaded', 'Fails inside, in HTML (500).', () => htmlReply(500, 'Internal Server Error')),
    mode('502', 'Bad gateway', 'A proxy answers in its place, in HTML (502).', () =>
      htmlReply(502, 'Bad Gateway'),
    ),
    mode('503', 'Unavailable', 'Is down for a moment, in HTML (503).', () =>
      htmlReply(503, 'Service Unavailable'),
    ),
    mode(
      'lost',
      'Lost answer',
      'Does what was asked, then tears the connection down.',
      async (_, ordinary) => {
        await ordinary();
        return 'reset' as const;
      },
    ),
    mode('no-zone', 'Expiry without a zone', 'Says when the token ends, not in which zone.', (_, ordinary) =>
      ordinary({ expiry: 'no-zone' }),
    ),
    mode('no-expiry', 'No expiry', 'Does not say when the token ends.', (_, ordinary) =>
      ordinary({ expiry: 'absent' }),
    ),
    mode('bare', 'Header only', 'Sends the token in its header and no body.', (_, ordinary) =>
      ordinary({ body: 'none' }),
    ),
    mode('no-token', 'No token', 'Says 201 and forgets the token.', (_, ordinary) =>
      ordinary({ header: false }),
    ),
    mode('no-revocation', 'No revocation', 'Issues, but takes nothing back (405).', (_, ordinary) =>
      ordinary({ revocation: false }),
    ),
    mode(
      'no-revoking',
      'Revocation refused',
      'Answers 401 to a revocation; the token lives on.',
      (asked, ordinary) => (asked.method === 'DELETE' ? unauthorized() : ordinary()),
    ),
    mode(
      'issue-only',
      'Nothing but issuing',
      'Neither checks tokens nor takes them back (405).',
      (_, ordinary) => ordinary({ revocation: false, validation: false }),
    ),
  ];
}
