/** What docs/billing-contract.md and docs/identity-contract.md say of the services' answers. */
import { POINTS } from '../../src/billing/conformance.ts';
import { code, type Tables } from './tables.ts';

/** What a service sends, and how Tally words it for people. */
interface AnswerExample {
  /** In the table. */
  readonly answer: string;
  readonly status: number;
  readonly body: string;
  readonly says: string;
  /** What follows, in the table. */
  readonly follows: string;
}

const HTML = '<!doctype html><title>Sign in</title>';
const ERROR = '{"errors":[{"message":"Unknown subscription"}]}';

/** For a balance of project 123. */
export const BILLING_ANSWERS: readonly AnswerExample[] = [
  {
    answer: 'the field is `null`; no items; neither balance nor bonuses',
    status: 200,
    body: '{"data":{"bill":{"getSubscriptionBalance":null}}}',
    says: 'No Cloud platform data for project 123.',
    follows: 'people can try another product',
  },
  {
    answer: '`errors` and no data, with any status but 401, 403, 429 and 5xx',
    status: 400,
    body: ERROR,
    says: 'The billing service rejected the query for Cloud platform, project 123.',
    follows: 'people see your messages',
  },
  {
    answer: 'HTTP 401',
    status: 401,
    body: '',
    says: 'The billing service rejected the access token (HTTP 401).',
    follows: 'managers are asked for a new token; scheduled posts pause until it is there',
  },
  {
    answer: 'HTTP 403',
    status: 403,
    body: '',
    says: 'The billing service refused this access token (HTTP 403).',
    follows: 'people can replace the token; scheduled posts try again later',
  },
  {
    answer: 'HTTP 429',
    status: 429,
    body: '',
    says: 'The billing service is limiting Tally’s requests (HTTP 429).',
    follows: 'asked again after `Retry-After`, if that is soon enough',
  },
  {
    answer: 'HTTP 500, 502, 503, 504',
    status: 503,
    body: HTML,
    says: 'The billing service returned an error (HTTP 503).',
    follows: 'asked again first, up to 3 times in all',
  },
  {
    answer: 'another 4xx without `errors`, another 5xx',
    status: 404,
    body: HTML,
    says: 'The billing service returned an error (HTTP 404).',
    follows: '',
  },
  {
    answer: 'HTTP 200 with a web page',
    status: 200,
    body: HTML,
    says: 'The billing service sent a response that Tally can’t read: HTML instead of JSON.',
    follows: '',
  },
  {
    answer: 'HTTP 200 with other JSON',
    status: 200,
    body: '{"data":{"bill":{"other":1}}}',
    says: 'The billing service sent a response that Tally can’t read: no balance record.',
    follows: '',
  },
];

/** For a request for a token. */
export const IDENTITY_ANSWERS: readonly AnswerExample[] = [
  {
    answer: 'HTTP 401, 403',
    status: 401,
    body: '{"error":{"code":401,"title":"Unauthorized","message":"Wrong"}}',
    says: 'The identity service refused the application access (HTTP 401).',
    follows: 'after a 401, managers are told',
  },
  {
    answer: 'HTTP 404 whose `error.message` has the words “application credential”',
    status: 404,
    body: '{"error":{"code":404,"message":"Could not find Application Credential: 5a9d."}}',
    says: 'The identity service doesn’t know that application access (HTTP 404).',
    follows: 'managers are told',
  },
  {
    answer: 'HTTP 404 with another `error`',
    status: 404,
    body: '{"error":{"code":404,"message":"The project is disabled"}}',
    says: 'The identity service won’t issue a token for that project (HTTP 404).',
    follows: '',
  },
  {
    answer: 'HTTP 404 without an `error`, 405, 300',
    status: 404,
    body: HTML,
    says: 'The address isn’t an identity service (HTTP 404).',
    follows: 'Tally suggests an address that ends with `/v3`, if it sees one',
  },
  {
    answer: 'HTTP 502, 503, 504; a connection that breaks after the request went out; no answer in time',
    status: 503,
    body: HTML,
    says: 'The identity service may have issued a token, but its answer got lost.',
    follows: 'the audit says that the outcome is unclear',
  },
  {
    answer: 'HTTP 429',
    status: 429,
    body: '',
    says: 'The identity service is limiting Tally’s requests (HTTP 429).',
    follows: '',
  },
  {
    answer: 'another 4xx or 5xx',
    status: 413,
    body: HTML,
    says: 'The identity service returned an error (HTTP 413).',
    follows: '',
  },
  {
    answer: 'a 2xx without a token',
    status: 201,
    body: '{"token":{}}',
    says: 'The identity service sent a response that Tally can’t read: it has no X-Subject-Token.',
    follows: '',
  },
];

const answersTable = (answers: readonly AnswerExample[]) => [
  ['the service answers', 'people read', 'and'],
  ...answers.map(({ answer, says, follows }) => [answer, says, follows]),
];

export const BILLING_TABLES: Tables = {
  answers: answersTable(BILLING_ANSWERS),
  points: [
    ['point', 'asked', 'wanted', 'otherwise, people get'],
    ...Object.entries(POINTS).map(([id, { asked, wanted }]) => [code([id]), asked, wanted]),
  ],
};

export const IDENTITY_TABLES: Tables = { answers: answersTable(IDENTITY_ANSWERS) };
