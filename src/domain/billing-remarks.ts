/** Error messages that the billing service sent together with figures, and which figures those were. */
export interface BillingRemark {
  /** `the balance`, `the figures for 14–20 Nov` */
  readonly about: string;
  /** Outside text, without repetitions. */
  readonly messages: readonly string[];
}

/** @returns our sentence before the messages */
export const remarkLead = ({ about }: BillingRemark): string =>
  `The billing service reported a problem with ${about}:`;

/** Collects the remarks of several answers. @returns each message once, under all the answers that had it */
export function collectRemarks(
  ...answers: readonly (readonly [about: string, answer: { readonly remarks: readonly string[] }])[]
): readonly BillingRemark[] {
  const abouts = new Map<string, string[]>();
  for (const [about, { remarks }] of answers)
    for (const message of new Set(remarks)) abouts.set(message, [...(abouts.get(message) ?? []), about]);
  const messages = new Map<string, string[]>();
  for (const [message, answersWithIt] of abouts) {
    const about = answersWithIt.join(' and ');
    messages.set(about, [...(messages.get(about) ?? []), message]);
  }
  return [...messages].map(([about, list]) => ({ about, messages: list }));
}
