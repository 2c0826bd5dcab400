import { z } from 'zod';
import type { ProductId } from '../domain/product.ts';

/** As Slack names them; whatever is stored or shown as one of these has to look like it. */
const PERSON = /^[UW][A-Z0-9]{1,30}$/;
const GROUP = /^S[A-Z0-9]{1,30}$/;
const CHANNEL = /^[CG][A-Z0-9]{1,30}$/;

export const isPerson = (text: string): boolean => PERSON.test(text);
/** Direct messages are none. */
export const isChannel = (text: string): boolean => CHANNEL.test(text);

/** For the schemas of records. */
export const person = z.string().regex(PERSON);
export const group = z.string().regex(GROUP);
export const product = z.union([z.literal(1), z.literal(2), z.literal(3)]) satisfies z.ZodType<ProductId>;
