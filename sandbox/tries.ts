/** What the panel proposes to try, the plain before the odd. */
import type { Try } from './protocol.ts';

/** @param now ms since the epoch */
export const triesAt = (now: number): readonly Try[] => [
  {
    text: '/billing connect',
    why: 'First of all: connect Tally to the billing service; paste a token from below.',
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
  { text: '/billing schedule 123', why: 'A report every morning; the form shows when, and sends a test.' },
  { text: '/billing settings', why: 'The time zone whose days are reported.' },
  { text: '/billing help', why: 'Everything that Tally understands.' },
];

function lastMonth(now: number): string {
  const today = new Date(now);
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString().slice(0, 7);
}
