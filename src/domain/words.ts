/** A command's text, read: words in any order, each once. Syntax only; nothing here knows what day it is. */
import { anyItemAt, type Item, type ItemAt, periodItemAt } from './item.ts';
import { canonical, LAST_7_DAYS, type Phrase } from './phrase.ts';
import { PRODUCTS, type ProductId } from './product.ts';
import { reading, refuseUnknown } from './reading.ts';
import { misread, senseOf } from './search.ts';
import type { Aliases, Source } from './token.ts';
import { type Advice, unfinished } from './unfinished.ts';

export { nearest } from './spelling.ts';
export { normalise } from './text.ts';

export interface Words {
  readonly help: boolean;
  /** 1 to 32 digits, never a number. */
  readonly project?: string;
  /** The project by the name that the workspace gave it, in lower case; never beside `project`. */
  readonly alias?: string;
  readonly product?: ProductId;
  readonly phrase?: Phrase;
}

type Items = { readonly [K in Item['kind']]?: Extract<Item, { kind: K }>['value'] };

const PERIOD: Advice = {
  name: 'period',
  works: 'Periods are such as last-7-days, this-month, last-month, 2026-10 or 2026-10-01..2026-10-15.',
};
const ANYTHING: Advice = {
  name: 'project, period or product',
  works:
    'Type a project ID, a period (last-7-days, this-month, 2026-10) or a product (cloud, storage, virtualization).',
};

const NOW: Advice = {
  name: 'project or product',
  works: 'Type a project ID or a product (cloud, storage, virtualization); /spend takes periods.',
};

const PROJECT: Advice = { name: 'project', works: 'Type a project’s name or its ID.' };

/** The contract writes the ID into the query as a number literal; no known number is longer. */
const LONGEST_ID = 32;

function checkProject(source: Source, at: number, project: string): void {
  const refuse = (why: string, works: string, ...instead: string[]) =>
    misread(source, at, at + 1, why, works, ...instead);
  if (project.length > LONGEST_ID)
    throw refuse('is too long for a project ID', `An ID has ${LONGEST_ID} digits at the most, such as 123.`);
  if (!project.startsWith('0')) return;
  const without = project.replace(/^0+/, '');
  const works = without === '' ? 'An ID is such as 123.' : `Without it: ${without}.`;
  throw refuse('begins with a zero, as no project ID does', works, ...(without === '' ? [] : [without]));
}

const text = ({ kind, value }: Item): string =>
  kind === 'phrase' ? canonical(value) : kind === 'product' ? PRODUCTS[value].word : String(value);

const NAMES = { phrase: 'period', product: 'product', project: 'project' } as const;

/** The items with one more; two different ones of a kind are refused with both named. */
function added(items: Items, item: Item, source: Source, at: number, next: number): Items {
  const before = items[item.kind];
  if (before !== undefined && item.kind !== 'including-today') {
    const earlier = text({ kind: item.kind, value: before } as Item);
    if (earlier !== text(item))
      throw misread(
        source,
        at,
        next,
        `is a second ${NAMES[item.kind]} beside “${earlier}”`,
        `Ask about one ${NAMES[item.kind]} at a time.`,
      );
  }
  if (item.kind === 'project') checkProject(source, next - 1, item.value);
  return { ...items, [item.kind]: item.value };
}

const isApart = ({ tokens }: Source, at: number): boolean =>
  tokens[at]?.spaced || tokens[at]?.dashed || false;

/** Reads every token as part of some item. Items are apart, save `including today`: 'last7daysincltoday'. */
function itemsOf(source: Source, itemAt: ItemAt, advice: Advice): Items {
  let items: Items = {};
  let joins = false;
  for (let at = 0; at < source.tokens.length; ) {
    const found = itemAt(source, at, items.project !== undefined);
    const includes = found?.value.kind === 'including-today';
    if (!found || !(isApart(source, at) || joins || includes)) throw unfinished(source, at, advice);
    items = added(items, found.value, source, at, found.next);
    [at, joins] = [found.next, includes];
  }
  return items;
}

/** `including today` asks for more of a period, and of the default one when there is no other. */
function phraseOf(items: Items): Phrase | undefined {
  if (!items['including-today']) return items.phrase;
  return { ...(items.phrase ?? LAST_7_DAYS), includingToday: true };
}

/** A period is refused with everything else left to run. */
const timelessItemAt: ItemAt = (source, at, projectKnown) => {
  const found = anyItemAt(source, at, projectKnown);
  if (found?.value.kind !== 'phrase' && found?.value.kind !== 'including-today') return found;
  const why = 'names a period, and a balance is of now';
  throw misread(
    source,
    at,
    found.next,
    why,
    '/balance takes a project and a product; /spend takes periods.',
    '',
  );
};

function wordsOf(source: Source, itemAt: ItemAt, advice: Advice): Words {
  if (source.tokens.some((token) => senseOf(token, 'help'))) return { help: true };
  refuseUnknown(source, advice);
  const { project, product, ...items } = itemsOf(source, itemAt, advice);
  const phrase = phraseOf(items);
  return {
    help: false,
    ...(project !== undefined && (/^\d/.test(project) ? { project } : { alias: project })),
    ...(product && { product }),
    ...(phrase && { phrase }),
  };
}

/**
 * Reads a whole command's text. With `help` anywhere in it, nothing else matters. `aliases` in lower case.
 * Throws WordRefused, whose suggestion is the whole text put right, or SecretPasted.
 */
export function readWords(text: string, aliases?: Aliases): Words {
  return reading(text, (source) => wordsOf(source, anyItemAt, ANYTHING), aliases);
}

/** The same for a question about now: a period is refused, and no suggestion has one. */
export function readTimelessWords(text: string, aliases?: Aliases): Omit<Words, 'phrase'> {
  return reading(text, (source) => wordsOf(source, timelessItemAt, NOW), aliases);
}

/** The same for a question about a whole project: it reads as much, so that each word is refused for what it is. */
export function readProjectWords(text: string, aliases?: Aliases): Words {
  return reading(text, (source) => wordsOf(source, anyItemAt, PROJECT), aliases);
}

/** Reads a text that is a period phrase and nothing else; the empty one is the default. Throws as `readWords` does. */
export function readPhrase(text: string): Phrase {
  return reading(text, (source) => {
    refuseUnknown(source, PERIOD);
    return phraseOf(itemsOf(source, periodItemAt, PERIOD)) ?? LAST_7_DAYS;
  });
}
