import { commandText } from '../../domain/command-names.ts';

/**
 * What Tally needs of a billing service, in the order of the report: what the check asks to find out, the answer that it wants,
 * and what Tally does wrong for its users otherwise. docs/billing-contract.md has the same table.
 */
export const POINTS = {
  reach: {
    asked: 'the address',
    wanted: 'a connection, with a valid certificate',
    otherwise: 'no answer: Tally can’t reach the service, or loses the connection.',
  },
  redirect: {
    asked: 'the address',
    wanted: 'an answer from that address itself',
    otherwise: 'no answer: Tally never follows a redirect, because the token would go with it.',
  },
  http: {
    asked: 'a POST to /bill/graphql',
    wanted: 'HTTP 200 with a whole body',
    otherwise: 'no answer: “The billing service returned an error”, or that Tally can’t read its response.',
  },
  compression: {
    asked: 'a POST without Accept-Encoding',
    wanted: 'an uncompressed body',
    otherwise: 'no answer: Tally can’t read a compressed response.',
  },
  json: {
    asked: 'a POST that accepts JSON',
    wanted: 'one JSON object in UTF-8',
    otherwise: 'no answer: “The billing service sent a response that Tally can’t read.”',
  },
  time: {
    asked: 'every question',
    wanted: 'the whole answer within 10 seconds',
    otherwise: 'no answer: “The billing service didn’t answer within 10 seconds.”',
  },
  size: {
    asked: 'every question',
    wanted: 'at most 512 KB, and 8 items a day with 1,000 to spare',
    otherwise: 'no figures: Tally stops reading.',
  },
  'rate-limit': {
    asked: 'every question',
    wanted: 'no HTTP 429 that outlasts its Retry-After',
    otherwise: 'no answer: “The billing service is limiting Tally’s requests.”',
  },
  'keep-alive': {
    asked: 'one question after the other',
    wanted: 'no connection that breaks when it is used again',
    otherwise: 'slow answers, and some that end with “The billing service closed the connection.”',
  },
  token: {
    asked: 'the balance with the token',
    wanted: 'no 401 and no 403',
    otherwise: 'no answer: the token was rejected (401), or may not read this (403).',
  },
  balance: {
    asked: 'the balance',
    wanted: 'balance and bonuses',
    otherwise: `${commandText('/balance')} without a balance, and no estimate of how long it lasts.`,
  },
  spend: {
    asked: 'the charges of 31 days',
    wanted: 'a list of items',
    otherwise: `${commandText('/spend')} without figures.`,
  },
  errors: {
    asked: 'the balance and the charges of 31 days',
    wanted: 'no errors beside the data',
    otherwise: 'the service’s error messages below every answer.',
  },
  amounts: {
    asked: 'the balance and the charges of 31 days',
    wanted: 'decimal amounts, as numbers or strings',
    otherwise: 'totals that leave these amounts out, and say so.',
  },
  digits: {
    asked: 'the balance and the charges of 31 days',
    wanted: 'the digits of a decimal, not of a binary number',
    otherwise: 'files with digits that nobody charged, such as 0.30000000000000004.',
  },
  days: {
    asked: 'the charges of 31 days',
    wanted: 'a day in each item that Tally can read',
    otherwise: 'charges that are in the total and in no day.',
  },
  'each-day-once': {
    asked: 'the charges of 31 days',
    wanted: 'one item a day',
    otherwise: 'days with the sum of several items: too much, if the service repeated one.',
  },
  bounds: {
    asked: 'from midnight to 23:59:59.999 of the last day',
    wanted: 'no other day, and the same amount for the same day',
    otherwise:
      'totals with charges of other days, marked as outside the period; other amounts for other periods.',
  },
  'one-day': {
    asked: 'the charges of one day',
    wanted: 'that day',
    otherwise: '`yesterday` without figures, and daily posts that wait for them.',
  },
  'until-now': {
    asked: 'a period that ends now',
    wanted: 'the days that are over',
    otherwise: '`today` and `this-month` without figures. A service’s clock that is behind does that, too.',
  },
  'empty-period': {
    asked: 'a day in 2001',
    wanted: 'no data',
    otherwise: 'an error, or charges that weren’t made, for days before a project began.',
  },
  'unknown-project': {
    asked: 'balance and a day of project 2147483647',
    wanted: 'no data, or an error other than 401 and 5xx',
    otherwise:
      'for a mistyped ID: someone else’s figures, that the token was rejected (401), or that the service fails (5xx).',
  },
  'wrong-product': {
    asked: 'balance and a day with another product',
    wanted: 'no data, or an error other than 401 and 5xx',
    otherwise:
      'for a wrong product: figures that nobody can tell from the right ones; or as for an unknown project.',
  },
  'wrong-token': {
    asked: 'balance and a day with an unknown token',
    wanted: 'HTTP 401 and no figures',
    otherwise: 'no word that a token has expired; if figures come, anybody can read them.',
  },
  'no-token': {
    asked: 'balance and a day without a token',
    wanted: 'a refusal: 401 is best',
    otherwise: 'figures that anybody who knows the address can read, too.',
  },
} as const satisfies Record<string, Record<'asked' | 'wanted' | 'otherwise', string>>;

export type PointId = keyof typeof POINTS;

export const POINT_IDS = Object.keys(POINTS) as readonly PointId[];
