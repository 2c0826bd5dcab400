/** The steps for Slack's Workflow Builder. Workflows refer to outputs by name, so a renamed output breaks them. */

const input = (title: string, description: string) =>
  ({ type: 'string', title, description, is_required: false }) as const;
const text = (title: string, description: string) =>
  ({ type: 'string', title, description, is_required: true }) as const;

const PROJECT = text(
  'Project',
  'A project’s name or ID. Projects that are limited to channels can’t be used.',
);
const PRODUCT = input(
  'Product',
  'cloud, storage or virtualization. Empty means the product the project is registered with.',
);
const PERIOD = input('Period', 'yesterday, last-week, this-month, 2026-10 … Empty means the last 7 days.');

export const WORKFLOW_FUNCTIONS = {
  get_spend: {
    title: 'Get spend',
    description: 'Get what a project spent in a period.',
    input_parameters: { project: PROJECT, period: PERIOD, product: PRODUCT },
    output_parameters: {
      amount: text('Amount', 'What was spent: 183,213.64 EUR'),
      period: text('Period', 'The days and their time zone: 14–20 Nov 2026 UTC'),
      reported: text('Reported', 'How many days are reported, and which are missing'),
    },
  },
  get_balance: {
    title: 'Get balance',
    description: 'Get what a project has left, and for how long.',
    input_parameters: { project: PROJECT, product: PRODUCT },
    output_parameters: {
      amount: text('Amount', 'What is left: 1,239,009.29 EUR. Negative when overdrawn.'),
      bonuses: text('Bonuses', 'What is left in bonuses. They aren’t part of the amount.'),
      runway: text('Runway', 'How long it lasts: About 40 days, until around 1 Jan 2027'),
    },
  },
} as const;

type StepName = keyof typeof WORKFLOW_FUNCTIONS;

export type StepOutputs = {
  readonly [Name in StepName]: Readonly<
    Record<keyof (typeof WORKFLOW_FUNCTIONS)[Name]['output_parameters'], string>
  >;
};
