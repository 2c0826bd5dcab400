/** What the billing service said beside figures that it sent all the same, and which figures it said it of. */
export interface ServiceNotice {
  /** `the balance`, `the figures for 14–20 Nov` */
  readonly about: string;
  /** Outside text, each once. */
  readonly messages: readonly string[];
}

/** Our own words, before the messages. */
export const noticeLead = ({ about }: ServiceNotice): string =>
  `The billing service reported a problem with ${about}:`;

/** What was said beside several answers. A message that came with more than one of them stands once, for all of those. */
export function collectNotices(
  ...answers: readonly (readonly [about: string, answer: { readonly remarks: readonly string[] }])[]
): readonly ServiceNotice[] {
  const abouts = new Map<string, string[]>();
  for (const [about, { remarks }] of answers)
    for (const message of new Set(remarks)) abouts.set(message, [...(abouts.get(message) ?? []), about]);
  const messages = new Map<string, string[]>();
  for (const [message, those] of abouts) {
    const about = those.join(' and ');
    messages.set(about, [...(messages.get(about) ?? []), message]);
  }
  return [...messages].map(([about, those]) => ({ about, messages: those }));
}
