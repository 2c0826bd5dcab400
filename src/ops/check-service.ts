import { type Failure, isFailure, NO_PUBLIC_ADDRESS, type RedirectRefused } from '../domain/failure/index.ts';
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
  /** The variable with its address. */
  readonly variable: string;
  /** What is where the address was not set, completing "NAME is not set: …". */
  readonly unset: string;
  readonly address: string | undefined;
  /** What the variable should have been like, for an address that leads elsewhere. */
  readonly works: string;
  /** One question without credentials, under the address rules. Throws failures. */
  readonly ask: (address: string) => Promise<{ readonly status: number; readonly text: string }>;
}

/** Whether the service is there. Being refused for want of a token is the best sign that it is. */
export async function checkService(parts: ServiceParts): Promise<readonly Finding[]> {
  const { about, variable, unset, address, works, ask } = parts;
  if (address === undefined) return [okFinding(about, `${variable} is not set: ${unset}`)];
  try {
    const { status, text } = await ask(address);
    if (status === 401 || status === 403)
      return [okFinding(about, `answers, and wants a token (HTTP ${status})`)];
    if (status === 404) return [failedFinding(about, 'has nothing at that address (HTTP 404)', works)];
    if (status >= 400) return [warningFinding(about, `answers with HTTP ${status}`, works)];
    return [
      isJson(text)
        ? okFinding(about, `answers (HTTP ${status})`)
        : failedFinding(about, 'answers, but not with JSON', works),
    ];
  } catch (error) {
    return [
      failedFinding(
        about,
        isFailure(error) ? said(error) : `could not be asked (${reasonText(error)})`,
        todo(error, parts),
      ),
    ];
  }
}

/** An operator may know why there is no public address; people in Slack may not. */
function said(failure: Failure): string {
  if (isWithoutPublicAddress(failure) && failure.cause instanceof Error && failure.cause.message !== '')
    return `${failure.message} In detail: ${failure.cause.message}.`;
  return isRedirected(failure)
    ? `${failure.message} It points to ${toPlainLine(failure.target)}`
    : failure.message;
}

function todo(error: unknown, { variable, works }: ServiceParts): string {
  if (isFailure(error) && (error.kind === 'address-refused' || isWithoutPublicAddress(error)))
    return `Public https addresses only; others have to stand in TRUSTED_API_HOSTS. It is set in ${variable}.`;
  return `Is the service up, and can this machine reach it? ${works}`;
}

const isWithoutPublicAddress = (failure: Failure): boolean =>
  failure.kind === 'service-unreachable' && failure.code === NO_PUBLIC_ADDRESS;

const isRedirected = (error: Error): error is RedirectRefused =>
  isFailure(error) && error.kind === 'redirect-refused';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
