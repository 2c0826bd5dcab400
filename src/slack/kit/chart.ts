import { clipText, SLACK_LIMITS } from './limits.ts';

/**
 * Slack's native chart (June 2026), which `@slack/types` 3.2 does not know yet; the one place that declares it.
 * Source: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export interface Chart {
  readonly type: 'data_visualization';
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    readonly series: readonly { readonly name: string; readonly data: readonly ChartPoint[] }[];
    readonly axis_config: { readonly categories: readonly string[]; readonly y_label?: string };
  };
}

/** `value` is for drawing only: the table has the exact figures. Each label in a chart is different. */
export interface ChartPoint {
  readonly label: string;
  readonly value: number;
}

/** Values to compare the bars with, one for each. */
export interface ChartThreshold {
  readonly name: string;
  readonly values: readonly number[];
}

/** A bar for each point. @returns undefined without points, or with more than Slack accepts */
export function barChart(
  title: string,
  name: string,
  points: readonly ChartPoint[],
  threshold?: ChartThreshold,
): Chart | undefined {
  if (points.length === 0 || points.length > SLACK_LIMITS.chartPoints) return undefined;
  const data = points.map(({ label, value }) => ({ label: clipText(label, SLACK_LIMITS.chartLabel), value }));
  const second = threshold && {
    name: clipText(threshold.name, SLACK_LIMITS.chartLabel),
    data: data.map(({ label }, at) => ({ label, value: threshold.values[at] ?? 0 })),
  };
  return {
    type: 'data_visualization',
    title: clipText(title, SLACK_LIMITS.chartTitle),
    chart: {
      type: 'bar',
      series: [{ name: clipText(name, SLACK_LIMITS.chartLabel), data }, ...(second ? [second] : [])],
      axis_config: { categories: data.map(({ label }) => label) },
    },
  };
}
