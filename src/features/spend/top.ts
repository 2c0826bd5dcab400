import { pluralize } from '../../domain/language/text.ts';
import {
  byLargest,
  divide,
  formatMoney,
  formatShare,
  type Money,
  sumMoney,
} from '../../domain/money/amount.ts';
import { readableTotal } from '../../domain/money/usage.ts';
import { askedText, hasOneCurrency } from '../../slack/commands/project-answers.ts';
import { escapeMarkup } from '../../slack/kit/atoms.ts';
import type { SpendFigures, SpendView, Top } from './figures.ts';

/** Sorts the projects that spent most first. */
export const bySpent = (a: SpendFigures, b: SpendFigures): number =>
  byLargest(readableTotal(a.usage), readableTotal(b.usage));

/**
 * Leaves as many projects as `top 3` says, besides those without a figure, which may belong there. Amounts with different
 * labels can't be ranked: then, and where there are no more, all of them stay.
 */
export function keepTop<T extends Omit<SpendView, 'top'>>(view: T): T & Pick<SpendView, 'top'> {
  const { projects, answered, failed } = view;
  const among = answered.filter(({ usage }) => readableTotal(usage) !== undefined).sort(bySpent);
  const { top: count = among.length } = projects;
  if (count >= among.length || !hasOneCurrency(among)) return { ...view, top: undefined };
  const shown = among.slice(0, count);
  const others = answered.filter((figures) => !among.includes(figures));
  return {
    ...view,
    answered: [...shown, ...others],
    top: { shown, among, of: answered.length + failed.length },
  };
}

/** `Top 3 of 12 projects`, `Top 3 of 12 projects, 10 with figures` */
export function formatTop({ shown, among, of }: Top): string {
  const known = among.length === of ? '' : `, ${among.length} with figures`;
  return `Top ${shown.length} of ${pluralize(of, 'project')}${known}`;
}

const spentBy = (projects: readonly SpendFigures[]): Money =>
  sumMoney(projects.map(({ usage }) => usage.total.value));

/** A project's part of what all spent; undefined where a credit would make it misleading. */
export function shareOf(
  among: readonly SpendFigures[],
  locale: string,
): ((part: Money) => string) | undefined {
  const total = spentBy(among);
  const isShared =
    hasOneCurrency(among) && total.gt(0) && among.every(({ usage }) => usage.total.value.gte(0));
  return isShared ? (part) => formatShare(divide(part.times(100), total), locale) : undefined;
}

/** `*84.0 %* of 31,000.00 EUR spent by all 12` */
export function topShareText({ shown, among, of }: Top, locale: string): string {
  const [first] = among;
  const total = escapeMarkup(formatMoney(spentBy(among), locale, first?.target.currency));
  const who = among.length === of ? `all ${of}` : 'those with figures';
  const share = shareOf(among, locale)?.(spentBy(shown));
  return `${share === undefined ? 'out of' : `*${share}* of`} ${total} spent by ${who}`;
}

/** The projects that the answer shows, by their names: `/balance` knows no top. */
export const shownText = ({ projects, top }: SpendView): string =>
  askedText(
    top === undefined
      ? projects
      : { word: top.shown.map(({ target }) => target.word).join(','), product: projects.product },
  );
