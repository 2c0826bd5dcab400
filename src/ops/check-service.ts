import { type Failure, isFailure, NO_PUBLIC_ADDRESS, type RedirectRefused } from '../domain/failure/index.ts';
import { tryParseJson } from '../domain/try-read.ts';
import {
  type Finding,
  failedFinding,
  okFinding,
  reasonText,
  toPlainLine,
  warningFinding,
} from './finding.ts';

export interface ServiceParts {
  readonly about: string;
  /** The environment variable that holds the address. */
  readonly variable: string;
  /** What happens if it is not set; completes "NAME is not set: …". */
  readonly unset: string;
  readonly address: string | undefined;
  /** How to write the variable; the next step if the address leads elsewhere. */
  readonly works: string;
  /** Sends one request without credentials, under the address rules. @throws Failure */
  readonly ask: (address: string) => Promise<{ readonly status: number; readonly text: string }>;
}

/** Asks the service once. Its refusal for lack of a token is the best sign that the address is right. Never rejects. */
export async function checkService(parts: ServiceParts): Promise<readonly Finding[]> {
  const { about, variable, unset, address, works, ask } = parts;
  if (address === undefined) return [okFinding(about, `${variable} is not set: ${unset}`)];
  try {
    const { status, text } = await ask(address);
    if (status === 401 || status === 403)
      return [okFinding(about, `answers and asks for a token (HTTP ${status})`)];
    if (status === 404) return [failedFinding(about, 'finds nothing at that address (HTTP 404)', works)];
    if (status >= 400) return [warningFinding(about, `answers with HTTP ${status}`, works)];
    return [
      tryParseJson(text) !== undefined
        ? okFinding(about, `answers (HTTP ${status})`)
        : failedFinding(about, 'answers with something that is not JSON', works),
    ];
  } catch (error) {
    return [
      failedFinding(
        about,
        isFailure(error) ? describeFailure(error) : `could not be reached (${reasonText(error)})`,
        adviceFor(error, parts),
      ),
    ];
  }
}

/** Tells an operator more than people in Slack may know: why a name has no public address, where a redirect leads. */
function describeFailure(failure: Failure): string {
  if (isWithoutPublicAddress(failure) && failure.cause instanceof Error && failure.cause.message !== '')
    return `${failure.message} In detail: ${failure.cause.message}.`;
  if ('detail' in failure) return `${failure.message} In detail: ${failure.detail}.`;
  return isRedirected(failure)
    ? `${failure.message} It points to ${toPlainLine(failure.target)}`
    : failure.message;
}

function adviceFor(error: unknown, { variable, works }: ServiceParts): string {
  if (isFailure(error) && (error.kind === 'address-refused' || isWithoutPublicAddress(error)))
    return `Set a public https address in ${variable}, or list the host in TRUSTED_API_HOSTS.`;
  return `Check that the service runs and that this machine can reach it. ${works}`;
}

const isWithoutPublicAddress = (failure: Failure): boolean =>
  failure.kind === 'service-unreachable' && failure.code === NO_PUBLIC_ADDRESS;

const isRedirected = (error: Error): error is RedirectRefused =>
  isFailure(error) && error.kind === 'redirect-refused';
