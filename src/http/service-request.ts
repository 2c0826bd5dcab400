import type { Service } from '../domain/failure/index.ts';

/** Whose request it is. Nothing that one tenant does pauses or delays another one's requests. */
export interface Tenant {
  readonly workspace: string;
  /** Which of the workspace's credentials it uses: a connection's name, or a project's ID. */
  readonly connection: string;
}

/** `interactive`: a person waits for the answer. */
export type Priority = 'interactive' | 'background';

export interface ServiceRequest {
  readonly service: Service;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** http(s), absolute */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Absent where the request belongs to no workspace. */
  readonly tenant?: Tenant | undefined;
  /** What it is about, where a connection serves several: a project's ID. */
  readonly subject?: string;
  /** `interactive` by default. */
  readonly priority?: Priority;
  /** Fewer tries than usual, for what must not be done twice. */
  readonly tries?: number;
  /** Requests with the same object that fail count as one outage: they are parts of one command. */
  readonly outageGroup?: object;
  /** Called when the connection is open and the body goes out: from then on the service may have received it. */
  readonly onSending?: () => void;
  /** The headers of a 2xx are the answer: an unreadable body makes `text` empty. */
  readonly headersSuffice?: boolean;
}

/** A 2xx, or a 4xx other than 429; everything else is thrown. */
export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a 4xx with an unreadable body, where the status is the answer. See also `headersSuffice`. */
  readonly text: string;
}
