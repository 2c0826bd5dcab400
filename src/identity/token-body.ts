import { isLosslessNumber, parse } from 'lossless-json';
import { parseExpiry } from './expiry.ts';

/** What the body tells about an issued token; whatever is missing or odd in it is left out. */
export interface TokenBody {
  /** ms since the epoch; undefined when the service does not tell, or tells nonsense */
  readonly expiresAt: number | undefined;
  /** Names are outside text. */
  readonly project: { readonly id?: string; readonly name?: string; readonly domain?: string } | undefined;
  /** Name, else ID. */
  readonly user: string | undefined;
  /** Names. */
  readonly roles: readonly string[];
  readonly credential:
    | { readonly name?: string; readonly restricted?: boolean; readonly expiresAt?: number }
    | undefined;
  readonly auditId: string | undefined;
  /** Where the cloud platform's services answer, by type (`compute`): public ones, the first of each. */
  readonly endpoints: readonly { readonly service: string; readonly url: string }[];
}

/** More of it than this nobody reads. */
const SHOWN = { characters: 255, roles: 50, services: 30 } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Reads a body that may be anything at all, also none: the token itself came in a header. Never throws. */
export function parseTokenBody(text: string): TokenBody {
  const token = fieldsOf(fieldsOf(parsed(text)).token);
  return {
    expiresAt: parseExpiry(token.expires_at),
    project: projectIn(token.project),
    user: nameOf(token.user),
    roles: [token.roles ?? []]
      .flat()
      .slice(0, SHOWN.roles)
      .flatMap((role) => nameOf(role) ?? []),
    credential: credentialIn(token.application_credential),
    auditId: textOf([token.audit_ids].flat()[0]),
    endpoints: endpointsIn(token.catalog),
  };
}

/** The message of an error in the identity API's own form; undefined for any other text. */
export function parseIdentityError(text: string): string | undefined {
  const { error } = fieldsOf(parsed(text));
  if (!isFields(error)) return undefined;
  return typeof error.message === 'string' ? error.message : '';
}

function projectIn(value: unknown): TokenBody['project'] {
  const project = fieldsOf(value);
  const found = given({ id: textOf(project.id), name: textOf(project.name), domain: nameOf(project.domain) });
  return Object.keys(found).length > 0 ? found : undefined;
}

function credentialIn(value: unknown): TokenBody['credential'] {
  if (!isFields(value)) return undefined;
  const restricted = typeof value.restricted === 'boolean' ? value.restricted : undefined;
  return given({ name: textOf(value.name), restricted, expiresAt: parseExpiry(value.expires_at) });
}

function endpointsIn(catalog: unknown): TokenBody['endpoints'] {
  const found = new Map<string, string>();
  for (const entry of listOf(catalog).map(fieldsOf)) {
    const open = listOf(entry.endpoints)
      .map(fieldsOf)
      .find((endpoint) => endpoint.interface === 'public');
    const service = textOf(entry.type);
    const url = webAddress(open?.url);
    if (service !== undefined && url !== undefined && !found.has(service)) found.set(service, url);
  }
  return [...found].slice(0, SHOWN.services).map(([service, url]) => ({ service, url }));
}

function webAddress(value: unknown): string | undefined {
  const isOne = typeof value === 'string' && value.length <= 500 && /^https?:\/\/[\x21-\x7e]+$/.test(value);
  return isOne ? value : undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Without what is undefined: an absent field is told by its absence. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function nameOf(value: unknown): string | undefined {
  const { name, id } = fieldsOf(value);
  return textOf(value) ?? textOf(name) ?? textOf(id);
}

/** Exact numbers arrive as objects of their own: an ID may be one. */
function textOf(value: unknown): string | undefined {
  const text = isLosslessNumber(value) ? value.value : value;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return Array.from(text.slice(0, SHOWN.characters * 2))
    .slice(0, SHOWN.characters)
    .join('');
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Undefined for what is not JSON, or nests deeper than the stack. Of a name given twice the last one counts. */
function parsed(text: string): unknown {
  try {
    return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch {
    return undefined;
  }
}
