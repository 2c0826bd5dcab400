/** The examples under “Try” in the panel, simple ones first. */
import type { Example } from './protocol.ts';

/**
 * @param now ms since the epoch
 * @param issuesTokens whether the bot can issue OS_TOKENs
 */
export const examplesAt = (now: number, issuesTokens = false): readonly Example[] => [
  {
    text: '/billing connect',
    why: 'Start here: connect Tally to the billing service. Paste the Read-only token from this panel.',
  },
  { text: '/balance 123', why: 'What’s left, and how long it lasts.' },
  { text: '/spend 123', why: 'The last seven days, with a chart. One day has no data.' },
  { text: '/spend 123 last-month', why: 'A whole month, compared with the one before.' },
  { text: `/spend 123 ${lastMonth(now)}-01..${lastMonth(now)}-15`, why: 'Any range, both days included.' },
  { text: '/spend 789 storage last-4-weeks', why: 'Another product, charted by week.' },
  { text: '/balance 123 storage', why: 'The wrong product: no data, and buttons for the others.' },
  { text: '/balance 1001', why: 'An overdrawn project.' },
  { text: '/spend 123 7m', why: 'Minutes or months? Tally asks which.' },
  { text: '/spned 123', why: 'What Slack says about an unknown command.' },
  { text: '/billing projects add prod 123', why: 'A name instead of the ID: /balance prod.' },
  {
    text: '@Tally spend 123 last month',
    why: 'The same by mention. Everyone sees the answer, in a thread.',
  },
  {
    text: '@Tally and 456?',
    why: 'A follow-up in that thread: the same month of another project.',
    inThread: true,
  },
  {
    text: '@Tally how long will it last?',
    why: 'Another question about the project of the last answer there.',
    inThread: true,
  },
  { text: '@Tally as csv', why: 'The last answer there as a file.', inThread: true },
  {
    text: '/billing schedule 123',
    why: 'A report every morning. The form shows the next posts and sends a test.',
  },
  {
    text: 'Skip to 09:00',
    why: 'Don’t wait for the morning: the post arrives within 30 seconds.',
    skip: { time: '09:00' },
  },
  {
    text: '/billing watch 123 balance 1200000',
    why: 'An alert before the money runs out. Then choose “Burning money” under Switches.',
  },
  {
    text: 'Skip an hour',
    why: 'To the next hourly check of the watches: the alert arrives within 30 seconds.',
    skip: { hours: 1 },
  },
  {
    text: 'Skip 16 days',
    why: 'A token with a lifetime of 30 days (choose it in the form) is about to expire. Skip to 09:00 and Tally reminds the person who registered it.',
    skip: { hours: 16 * 24 },
  },
  ...(issuesTokens ? TOKEN_EXAMPLES : []),
  { text: '/billing settings', why: 'Time zone, currency label, and who can manage or use Tally.' },
  { text: '/billing help', why: 'Every command.' },
];

const TOKEN_EXAMPLES: readonly Example[] = [
  {
    text: '/billing projects access 123',
    why: 'Register an application access. Paste its ID and secret from below.',
  },
  { text: '/os-token 123', why: 'A temporary token that only you see. Revoke it when you’re done.' },
];

function lastMonth(now: number): string {
  const today = new Date(now);
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString().slice(0, 7);
}
