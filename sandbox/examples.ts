import type { Example } from './protocol.ts';

export const EXAMPLES: readonly Example[] = [
  {
    text: '/billing connect',
    why: 'Start here: connect Tally to the billing service. Paste the Read-only token from this panel.',
  },
  { text: '/spend 123', why: 'The last seven days, with a chart. One day has no data.' },
  { text: '/balance 123', why: 'What’s left, and how long it lasts.' },
  {
    text: '/billing schedule 123',
    why: 'A post every morning. Save the form, then press Skip to 09:00: it arrives within 30 seconds.',
  },
  { text: '/balance 123 storage', why: 'The wrong product: no data, and buttons for the others.' },
  { text: '/spend 123 7m', why: 'Minutes or months? Tally asks which.' },
  { text: '/billing projects add prod 123', why: 'A name instead of the ID. Then type /balance prod.' },
  { text: '@Tally spend 123 last month', why: 'A mention: everyone sees the answer, in a thread.' },
  {
    text: '@Tally and 456?',
    why: 'A follow-up in that thread: the same month for another project.',
    inThread: true,
  },
  { text: '@Tally as csv', why: 'The last answer there as a file.', inThread: true },
  {
    text: '/billing watch 123 balance 1200000',
    why: 'An alert before the money runs out. Save, choose “Burning money” under Break something, then Skip 1 hour once or twice.',
  },
  {
    text: '/billing projects access 123',
    why: 'Add application access. Paste the ID and the secret from this panel.',
  },
  { text: '/os-token 123', why: 'A temporary token that only you see. Revoke it when you’re done.' },
  { text: '/billing settings', why: 'Time zone, currency label, and who can manage or use Tally.' },
  { text: '/billing help', why: 'Every command.' },
];
