/** What Tally asks beside Slack: billing and identity. */
import { isFailure, NO_PUBLIC_ADDRESS } from '../../domain/failure/index.ts';
import { tryParse, tryParseJson } from '../../domain/try-parse.ts';
import { findingOf, type Placeholders } from './causes.ts';
import { errorCode, type Finding, okFinding, toPlainLine, webCode } from './finding.ts';
import { webFigures } from './redacted-addresses.ts';

export interface ServiceParts {
  readonly check: string;
  /** The environment variable that holds the address. */
  readonly variable: string;
  /** What happens if it is not set; completes "NAME is not set: …". */
  readonly unset: string;
  readonly address: string | undefined;
  /** How to write the variable; the next step if the address leads elsewhere. */
  readonly works: string;
  /** An address as it should look. */
  readonly example: string;
  /** Its answer has one of these fields; if absent, any JSON will do. */
  readonly fields?: readonly string[];
  /** @returns the address that was probably meant; undefined if nothing is wrong with it */
  readonly suggest?: (address: string) => string | undefined;
  /** Sends one request without credentials, under the address rules. @throws Failure */
  readonly ask: (address: string) => Promise<{ readonly status: number; readonly text: string }>;
}

/** Asks the service once. Its refusal for lack of a token is the best sign that the address is right. Never rejects. */
export async function checkService(parts: ServiceParts): Promise<readonly Finding[]> {
  const { check, variable, unset, address, works, example, fields, suggest, ask } = parts;
  if (address === undefined) return [okFinding(check, `${variable} is not set: ${unset}`)];
  const figures = {
    ...(tryParse(() => webFigures(variable, address)) ?? { variable }),
    works,
    example,
    service: check.toLowerCase(),
    own: address.replace(/\/+$/, ''),
  };
  const suggestion = tryParse(() => suggest?.(address));
  if (suggestion !== undefined) return [findingOf('SERVICE', check, 'version', { ...figures, suggestion })];
  try {
    const { status, text } = await ask(address);
    const answer = tryParseJson(text);
    // A firewall, or a proxy with a login of its own, refuses with a page.
    if (status === 401 ? !/^\s*</.test(text) : status === 403 && answer !== undefined)
      return [okFinding(check, `answers and asks for a token (HTTP ${status})`)];
    if (status >= 400) return [findingOf('SERVICE', check, `HTTP ${status}`, figures)];
    const isService = isObject(answer) && (fields?.some((field) => field in answer) ?? true);
    return [
      isService
        ? okFinding(check, `answers (HTTP ${status})`)
        : findingOf('SERVICE', check, 'not JSON', figures),
    ];
  } catch (error) {
    const [code, known] = failureCode(error, figures);
    return [findingOf('SERVICE', check, await webCode(code, address), known)];
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Tells an operator more than people in Slack may know: why a name has no public address, where a redirect leads. */
function failureCode(error: unknown, figures: Placeholders): [string, Placeholders] {
  if (!isFailure(error)) return [errorCode(error), figures];
  switch (error.kind) {
    case 'service-unreachable': {
      const problem = error.code === NO_PUBLIC_ADDRESS && error.cause instanceof Error && error.cause.message;
      return [error.code, problem ? { ...figures, problem: toPlainLine(problem) } : figures];
    }
    case 'address-refused':
      return ['address refused', { ...figures, problem: toPlainLine(error.message) }];
    case 'redirect-refused': {
      const target = toPlainLine(error.target);
      if (!URL.canParse(target)) return [`HTTP ${error.status}`, figures];
      const base = target.replace(/\/bill\/graphql$/, '');
      return [base === figures.own ? 'redirect to itself' : 'redirect', { ...figures, target, base }];
    }
    case 'service-failed':
    case 'query-rejected':
      return [`HTTP ${error.status}`, figures];
    case 'rate-limited':
      return ['HTTP 429', figures];
    case 'timed-out':
      return ['timeout', figures];
    case 'invalid-response':
      return [error.status === 300 ? 'HTTP 300' : 'not JSON', figures];
    default:
      return [error.kind, figures];
  }
}
