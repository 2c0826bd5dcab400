import type { ManifestFunction } from '../../slack/install/manifest.ts';

/**
 * The steps as Slack's manifest defines them: callback ID → inputs and outputs. The names of the outputs are what workflows
 * refer to: one that is renamed or removed breaks every workflow that uses it.
 */

const INPUTS = {
  project: {
    type: 'string',
    title: 'Project',
    description: 'A project’s name or ID. Empty means the default project of the channel.',
    is_required: false,
  },
  product: {
    type: 'string',
    title: 'Product',
    description: 'cloud, storage or virtualization. Empty means the product the project is registered with.',
    is_required: false,
  },
  channel: {
    type: 'slack#/types/channel_id',
    title: 'Channel',
    description: 'Where the result will be read. Tally gives only what everyone in this channel may see.',
    is_required: false,
  },
} as const;

const text = <Title extends string>(title: Title, description: string) =>
  ({ type: 'string', title, description, is_required: true }) as const;
const count = <Title extends string>(title: Title, description: string) =>
  ({ type: 'integer', title, description, is_required: true }) as const;

const EXACT = 'The same amount with every digit of the billing service and no separators: 183213.6432';

const ABOUT_PROJECT = {
  project: text('Project', 'The project’s name, or “Project 123”'),
  product: text('Product', 'The product the figures are about'),
  link: text('Link', 'Opens Tally in Slack'),
} as const;

export const WORKFLOW_FUNCTIONS = {
  get_spend: {
    title: 'Get spend',
    description: 'Get what a project spent in a period.',
    input_parameters: {
      project: INPUTS.project,
      period: {
        type: 'string',
        title: 'Period',
        description: 'yesterday, last-week, this-month, 2026-10 … Empty means the last 7 days.',
        is_required: false,
      },
      product: INPUTS.product,
      channel: INPUTS.channel,
    },
    output_parameters: {
      amount: text('Amount', 'What was spent, to read: 183,213.64 EUR'),
      amount_exact: text('Exact amount', EXACT),
      period: text('Period', 'The days and their time zone: 14–20 Nov 2026 UTC'),
      reported: text('Reported', 'How many days are reported, and which are missing'),
      reported_days: count('Reported days', 'How many complete days of the period are reported'),
      period_days: count('Days in the period', 'How many complete days the period has'),
      ...ABOUT_PROJECT,
    },
  },
  get_balance: {
    title: 'Get balance',
    description: 'Get what a project has left, and for how long.',
    input_parameters: INPUTS,
    output_parameters: {
      amount: text('Amount', 'What is left, to read: 1,239,009.29 EUR. Negative when overdrawn.'),
      amount_exact: text('Exact amount', EXACT),
      bonuses: text('Bonuses', 'What is left in bonuses. They aren’t part of the amount.'),
      runway: text('Runway', 'How long it lasts: About 40 days, until around 1 Jan 2027'),
      runway_days: {
        type: 'integer',
        title: 'Runway days',
        description: 'The same as a number, 0 when overdrawn. Empty when there is no estimate.',
        is_required: false,
      },
      basis: {
        type: 'string',
        title: 'Basis of the runway',
        description: 'The average a day, and how many days it comes from. Empty when there is no estimate.',
        is_required: false,
      },
      ...ABOUT_PROJECT,
    },
  },
} as const satisfies Readonly<Record<string, ManifestFunction>>;

export type StepName = keyof typeof WORKFLOW_FUNCTIONS;

type ValueOf<Parameter> = Parameter extends { readonly type: 'integer' } ? number : string;

type OutputsOf<Parameters> = {
  readonly [Name in keyof Parameters as Parameters[Name] extends { readonly is_required: true }
    ? Name
    : never]: ValueOf<Parameters[Name]>;
} & {
  readonly [Name in keyof Parameters as Parameters[Name] extends { readonly is_required: true }
    ? never
    : Name]?: ValueOf<Parameters[Name]>;
};

/** The outputs of a step that depend on its figures: compiled against the definitions above. */
export type StepFigures<Name extends StepName> = Omit<
  OutputsOf<(typeof WORKFLOW_FUNCTIONS)[Name]['output_parameters']>,
  keyof typeof ABOUT_PROJECT
>;
