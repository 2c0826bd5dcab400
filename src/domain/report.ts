/** What a report is called, and how people ask for it. */
interface ReportWords {
  readonly title: string;
  /** The periods that mean it, the one to suggest first; none for a report that is asked for by its name. */
  readonly phrases: readonly string[];
  /** Whether it is about days, of which some may have no spend or change later; otherwise about an instant. */
  readonly coversDays: boolean;
}

/**
 * What a schedule can post, by the name that it stores. One more is an entry here; the compiler then asks
 * `report-figures` for its days.
 */
export const REPORTS = {
  yesterday: { title: 'Yesterday’s spend', phrases: ['yesterday', 'last-day'], coversDays: true },
  'last-week': { title: 'Last week’s spend', phrases: ['last-week'], coversDays: true },
  'month-to-date': { title: 'This month’s spend so far', phrases: ['this-month'], coversDays: true },
  balance: { title: 'Balance', phrases: [], coversDays: false },
} as const satisfies Record<string, ReportWords>;

export type ReportName = keyof typeof REPORTS;

export const REPORT_NAMES = Object.keys(REPORTS) as readonly ReportName[];

/** `yesterday, last-week, month-to-date or balance` */
export const REPORT_CHOICES = `${REPORT_NAMES.slice(0, -1).join(', ')} or ${REPORT_NAMES.at(-1)}`;

/** @param phrase a period as `formatPhrase` writes it */
export const findReport = (phrase: string): ReportName | undefined =>
  REPORT_NAMES.find((name) => (REPORTS[name].phrases as readonly string[]).includes(phrase));

/** Asked for by their names. */
export const NAMED_REPORTS = REPORT_NAMES.filter((name) => REPORTS[name].phrases.length === 0);
