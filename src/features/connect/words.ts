import { AddressRefused } from '../../domain/failure.ts';
import { isProductId, type ProductId } from '../../domain/product.ts';
import type { Fields } from '../../slack/kit/modal.ts';
import { LIFETIMES, ROLES } from '../../workspace/connections.ts';

/** What the connect form says, once every field is right. */
export interface ConnectRequest {
  readonly baseUrl: string;
  readonly token: string;
  readonly role: (typeof ROLES)[number];
  readonly lifetime: (typeof LIFETIMES)[number];
  readonly project: string;
  readonly product: ProductId;
}

type Reading = { readonly errors: Record<string, string> } | { readonly input: ConnectRequest };

/** Header values that HTTP takes: visible ASCII. A token with a line break or a space inside was copied wrongly. */
const TOKEN = /^[\x21-\x7e]+$/;
const PROJECT = /^[1-9]\d{0,31}$/;

/** @param checkBaseUrl the address rules: the address as it will be used, or AddressRefused */
export function readConnectForm(fields: Fields, checkBaseUrl: (text: string) => string): Reading {
  const errors: Record<string, string> = {};
  const baseUrl = attempt(() => checkBaseUrl(fields.base_url ?? ''), errors);
  const token = unquoted(fields.token ?? '');
  if (!TOKEN.test(token)) {
    errors.token = 'Paste the token alone, as the console showed it: one word, no spaces or line breaks.';
  }
  const project = fields.project ?? '';
  if (!PROJECT.test(project)) {
    errors.project = 'A project ID is 1 to 32 digits and does not begin with a zero, for example 123.';
  }
  const product = Number(fields.product);
  if (!isProductId(product)) errors.product = 'Choose the product the project belongs to.';
  const role = ROLES.find((known) => known === fields.role);
  if (role === undefined) errors.role = 'Choose the role that was chosen in the console.';
  const lifetime = LIFETIMES.find((known) => known === fields.lifetime);
  if (lifetime === undefined) errors.lifetime = 'Choose the lifetime that was chosen in the console.';

  if (
    Object.keys(errors).length > 0 ||
    !isProductId(product) ||
    role === undefined ||
    lifetime === undefined
  ) {
    return { errors };
  }
  return { input: { baseUrl, token, role, lifetime, project, product } };
}

function attempt(check: () => string, errors: Record<string, string>): string {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    errors.base_url = error.message;
    return '';
  }
}

/** Phones and consoles put quotes around what is copied. */
const unquoted = (text: string): string => text.trim().replace(/^["'“”„‘’`]+|["'“”‘’`]+$/g, '');

/** What the form may show again after a failure: everything but the token. */
export type Remembered = Omit<ConnectRequest, 'token'>;

export function remember({ baseUrl, role, lifetime, project, product }: ConnectRequest): string {
  return JSON.stringify({ baseUrl, role, lifetime, project, product });
}

/** From a button's value, which is outside text: whatever it says only fills in a form that is checked again. */
export function recall(value: string): Partial<Record<keyof Remembered, string>> {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(Object.entries(parsed).map(([key, entry]) => [key, String(entry)]));
  } catch {
    return {};
  }
}
