/** Error messages that billing sent together with figures. */
export interface BillingWarning {
  /** `the balance`, `the figures for 14–20 Nov` */
  readonly about: string;
  /** Untrusted text, without duplicates. */
  readonly messages: readonly string[];
}

export const warningLead = ({ about }: BillingWarning): string =>
  `The billing service reported a problem with ${about}:`;

/** @returns each message once, under the first answer that contained it */
export function collectWarnings(
  ...answers: readonly (readonly [about: string, answer: { readonly remarks: readonly string[] }])[]
): readonly BillingWarning[] {
  const known = new Set<string>();
  return answers.flatMap(([about, { remarks }]) => {
    const messages = [...new Set(remarks)].filter((message) => !known.has(message));
    for (const message of messages) known.add(message);
    return messages.length === 0 ? [] : [{ about, messages }];
  });
}
