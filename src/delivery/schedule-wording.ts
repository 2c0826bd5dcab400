import { DEFAULT_PRODUCT, PRODUCTS, type ProductId } from '../domain/product.ts';
import { formatDays, wallClockAt } from '../domain/time/calendar.ts';
import { REPORT_NAMES, type Schedule } from '../workspace/schedules.ts';
import type { Workspace } from '../workspace/workspaces.ts';

type ScheduledProject = Schedule['projects'][number];

/** A project's name if the workspace gave one to that ID and product, else its ID. */
export function projectLabel({ id, product }: ScheduledProject, workspace: Workspace): string {
  const [only, ...others] = workspace.projects.filter((one) => one.id === id && one.product === product);
  if (only !== undefined && others.length === 0) return only.alias;
  return projectIdLabel({ id, product });
}

/** For people who may not know the project's name. */
export function projectIdLabel({ id, product }: ScheduledProject): string {
  return product === DEFAULT_PRODUCT ? `Project ${id}` : `Project ${id} (${PRODUCTS[product].name})`;
}

/** @param key `<project id>:<product>` */
export function projectLabelOfKey(key: string, workspace: Workspace): string {
  const [id = '', product] = key.split(':');
  return projectLabel({ id, product: Number(product) as ProductId }, workspace);
}

/** `prod, web-shop` */
export const describeProjects = ({ projects }: Pick<Schedule, 'projects'>, workspace: Workspace): string =>
  projects.map((project) => projectLabel(project, workspace)).join(', ');

/** `“Yesterday’s spend” for prod, web-shop` */
export const describeReport = (
  schedule: Pick<Schedule, 'report' | 'projects'>,
  workspace: Workspace,
): string => `“${REPORT_NAMES[schedule.report]}” for ${describeProjects(schedule, workspace)}`;

/** `Mon 23 Nov 2026, 09:00` as the clocks of the zone show it. */
export function formatWallTime(at: number, zone: string): string {
  const { day, time } = wallClockAt(at, zone);
  return `${formatDays(day, day)}, ${time}`;
}

/** `Sat 21 Nov 2026, 15:00 (Europe/Rome)` */
export const formatMoment = (at: number, zone: string): string => `${formatWallTime(at, zone)} (${zone})`;
