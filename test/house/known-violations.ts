/** Imports that break a rule of `.dependency-cruiser.cjs` and are being fixed, sorted. What is fixed has to leave the list. */
export const KNOWN_VIOLATIONS: readonly string[] = [
  'no-circles: src/features/reports/blocks.ts ↔ src/features/reports/digest.ts',
  'no-circles: src/features/reports/blocks.ts ↔ src/features/reports/digest.ts ↔ src/features/reports/rows.ts',
  'no-circles: src/features/spend/blocks.ts ↔ src/features/spend/days.ts',
  'no-circles: src/features/spend/blocks.ts ↔ src/features/spend/notes.ts',
  'no-circles: src/slack/events.ts ↔ src/slack/register-listeners.ts',
  'no-circles: src/slack/install/oauth-flow.ts ↔ src/slack/installations.ts ↔ src/slack/receiver.ts',
  'no-circles: src/slack/installations.ts ↔ src/slack/receiver.ts',
  'no-circles: src/slack/interactions.ts ↔ src/slack/register-listeners.ts',
];
