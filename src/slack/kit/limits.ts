/**
 * Slack's limits that Tally's messages can come near, in one table (characters unless said otherwise).
 * Source: Slack's Block Kit reference, https://docs.slack.dev/reference/block-kit.
 */
export const SLACK_LIMITS = {
  header: 150,
  section: 3000,
  contextElements: 10,
  button: 75,
  buttonValue: 2000,
  option: 75,
  optionValue: 150,
  options: 100,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  modalTitle: 24,
  privateMetadata: 3000,
  tableRows: 100,
  tableCharacters: 10_000,
  overflowOptions: 5,
  containerTitle: 150,
  chartTitle: 50,
  chartPoints: 20,
  chartLabel: 20,
  input: 3000,
  inputError: 2000,
} as const;

/** Cuts a text to `limit` characters, with an ellipsis at the end. Never splits a surrogate pair. */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Whether an option's value is short enough for Slack. */
export const fitsOption = ({ value = '' }: { readonly value?: string }): boolean =>
  value.length <= SLACK_LIMITS.optionValue;
