/**
 * Slack's limits for what Tally sends. Sources: docs.slack.dev/reference/block-kit and the comments of
 * `@slack/types` 3.2; where they differ, this has the stricter number. Lengths count UTF-16 units after escaping.
 */
export const LIMITS = {
  id: 255,
  url: 3_000,
  message: { blocks: 50, text: 40_000, charts: 2, tables: 1 },
  view: { blocks: 100, bytes: 250 * 1024, privateMetadata: 3_000, title: 24, button: 24, depth: 3 },
  text: 3_000,
  section: { fields: 10, field: 2_000 },
  header: 150,
  context: 10,
  actions: 25,
  input: { label: 2_000, hint: 2_000 },
  container: { children: 10, title: 150 },
  table: { rows: 100, columns: 20, characters: 10_000 },
  chart: { title: 50, series: 12, points: 20, label: 20, axisLabel: 50 },
  button: { text: 75, value: 2_000 },
  options: { select: 100, groups: 100, overflow: 5, checkboxes: 10 },
  option: { text: 75, value: 150, description: 75 },
  confirm: { title: 100, text: 300, button: 30 },
  placeholder: 150,
  typed: 3_000,
} as const;

export type BlockSurface = 'message' | 'modal' | 'home';

const EVERYWHERE: readonly BlockSurface[] = ['message', 'modal', 'home'];

/** Block types that are missing here are rejected. */
export const SURFACES: Readonly<Record<string, readonly BlockSurface[]>> = {
  section: EVERYWHERE,
  header: EVERYWHERE,
  divider: EVERYWHERE,
  context: EVERYWHERE,
  actions: EVERYWHERE,
  input: EVERYWHERE,
  rich_text: EVERYWHERE,
  container: ['message', 'home'],
  table: ['message'],
  data_visualization: ['message'],
};
