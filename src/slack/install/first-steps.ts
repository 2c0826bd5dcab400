import { actions, button, context, header, type Message, markup } from '../kit/atoms.ts';

/** What whoever installed Tally finds in their messages. */
export const FIRST_STEPS: Message = {
  text: 'Tally is installed. Three steps to the first answer.',
  blocks: [
    header('Tally is installed'),
    markup(
      [
        '*1.* An owner or admin connects it to the billing service, with a read-only access token: press *Connect* or type `/billing connect`.',
        '*2.* Ask what a project has left, by the ID on its project card: `/balance 123`',
        '*3.* Ask what it spent: `/spend 123 last-7-days`',
      ].join('\n'),
    ),
    actions(button('connect', 'Connect…', { style: 'primary' })),
    context('Answers are yours alone until you share them. `/billing help` lists everything else.'),
  ],
};
