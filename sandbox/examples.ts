/** What the panel proposes to try, the plain before the odd. */
import type { Example } from './protocol.ts';

/** @param now ms since the epoch; @param issuesTokens whether the bot has a use for application accesses */
export const examplesAt = (now: number, issuesTokens = false): readonly Example[] => [
  {
    text: '/billing connect',
    why: 'First of all: connect Tally to the billing service. The token to paste stands in this panel: Read-only.',
  },
  { text: '/balance 123', why: 'What is left, and for how long.' },
  { text: '/spend 123', why: 'The last seven days, with a chart. One day was not reported.' },
  { text: '/spend 123 last-month', why: 'A whole month, compared with the one before.' },
  { text: `/spend 123 ${lastMonth(now)}-01..${lastMonth(now)}-15`, why: 'Any range; both days count.' },
  { text: '/spend 789 storage last-4-weeks', why: 'Another product, charted by week.' },
  { text: '/balance 123 storage', why: 'The wrong product: no data, and buttons with the others.' },
  { text: '/balance 1001', why: 'An overdrawn project.' },
  { text: '/spend 123 7m', why: 'Minutes or months? Tally asks back.' },
  { text: '/spned 123', why: 'What Slack says to a command that it does not know.' },
  { text: '/billing projects add prod 123', why: 'A name in place of the ID: /balance prod.' },
  { text: '@Tally spend 123 last month', why: 'The same by mention, in threads too; answered for everyone.' },
  { text: '/billing schedule 123', why: 'A report every morning; the form shows when, and sends a test.' },
  {
    text: 'Skip to 09:00',
    why: 'Then, instead of waiting for the morning: a click, and the post is there within half a minute.',
    skip: { time: '09:00' },
  },
  {
    text: '/billing watch 123 balance 1200000',
    why: 'Get warned before the money runs out. Then, under Switches, let billing burn money faster.',
  },
  {
    text: 'Skip an hour',
    why: 'To the next check of the watches: the alert is there within half a minute.',
    skip: { hours: 1 },
  },
  {
    text: 'Skip 16 days',
    why: 'A token registered for 30 days (under More in the form) is about to expire. Then Skip to 09:00: Tally reminds who registered it.',
    skip: { hours: 16 * 24 },
  },
  ...(issuesTokens ? TOKEN_EXAMPLES : []),
  { text: '/billing settings', why: 'Time zone, currency label, who manages, who may ask.' },
  { text: '/billing help', why: 'Everything that Tally understands.' },
];

const TOKEN_EXAMPLES: readonly Example[] = [
  {
    text: '/billing projects access 123',
    why: 'Register an application access; paste its ID and secret from below.',
  },
  { text: '/os-token 123', why: 'A temporary token, on your screen only; then give it back.' },
];

function lastMonth(now: number): string {
  const today = new Date(now);
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString().slice(0, 7);
}
