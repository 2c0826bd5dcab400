import { DEFAULT_PRODUCT, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { REPORTS } from '../../domain/report.ts';
import { formatDays, type Millis, wallClockAt, type Zone } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { type ChosenProject, findNamed, projectKey } from '../../workspace/projects/chosen-project.ts';
import { type AskLocation, canAskAbout, UNLIMITED } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';

/** The name it was chosen by, or its only one, else its ID. */
export const projectLabel = (project: ChosenProject, workspace: Workspace): string =>
  findNamed(project, workspace)?.alias ?? projectIdLabel(project);

/** For people who may not know the project's name. */
export function projectIdLabel({ id, product }: ChosenProject): string {
  return product === DEFAULT_PRODUCT ? `Project ${id}` : `Project ${id} (${PRODUCTS[product].name})`;
}

/** @param key `projectKey` of one of the projects, or of another one */
export function chosenByKey(key: string, projects: readonly ChosenProject[]): ChosenProject {
  const [id = '', product] = key.split(':');
  return (
    projects.find((project) => projectKey(project) === key) ?? { id, product: Number(product) as ProductId }
  );
}

/** What stands for a project whose name its reader may not see. */
export const HIDDEN_PROJECT = 'a project you can’t ask about here';

/** `prod, web-shop`. @param place where it is read; everything may be named if absent */
export function describeProjects(
  { projects }: Pick<Schedule, 'projects'>,
  workspace: Workspace,
  place: AskLocation = UNLIMITED,
): string {
  const shown = projects.filter((project) => canAskAbout(project, workspace, place));
  const hidden = projects.length - shown.length;
  return [
    ...shown.map((project) => projectLabel(project, workspace)),
    ...(hidden === 0 ? [] : [hidden === 1 ? HIDDEN_PROJECT : `${hidden} projects you can’t ask about here`]),
  ].join(', ');
}

/** `“Yesterday’s spend” for prod, web-shop`. @param place as in `describeProjects` */
export const describeReport = (
  schedule: Pick<Schedule, 'report' | 'projects'>,
  workspace: Workspace,
  place?: AskLocation,
): string => `“${REPORTS[schedule.report].title}” for ${describeProjects(schedule, workspace, place)}`;

/** `Mon 23 Nov 2026, 09:00` as the clocks of the zone show it. */
export function formatWallTime(at: Millis, zone: Zone): string {
  const { day, time } = wallClockAt(at, zone);
  return `${formatDays(day, day)}, ${time}`;
}

/** `Sat 21 Nov 2026, 15:00 (Europe/Rome)` */
export const formatMoment = (at: Millis, zone: Zone): string => `${formatWallTime(at, zone)} (${zone})`;
