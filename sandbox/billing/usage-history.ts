/**
 * The simulated usage of the sandbox's projects. Each hour is charged at its start, so part of a day costs part of
 * its amount. The same start gives the same figures.
 */
import { PROJECTS, type SimulatedProject } from './projects.ts';

interface Charge {
  day: string;
  amount: string;
  bonuses: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS_OF_HISTORY = 400;
/** One share for each hour of the day in UTC. Daytime hours cost more than night hours. */
const HOURLY_SHARES = [2, 2, 2, 2, 2, 3, 4, 5, 6, 7, 7, 6, 5, 6, 7, 7, 6, 5, 4, 3, 3, 2, 2, 2];
const SHARES_BEFORE = HOURLY_SHARES.map((_share, hour) => sum(HOURLY_SHARES.slice(0, hour))).concat(
  sum(HOURLY_SHARES),
);
const ALL_SHARES = sum(HOURLY_SHARES);

export function createUsageHistory(opened: number) {
  const openingDay = Math.floor(opened / DAY);
  const burns: { from: number; factor: number }[] = [];

  function bookedDays(project: SimulatedProject, from: number, to: number) {
    const rows = [];
    const first = Math.max(Math.floor(from / DAY), openingDay - DAYS_OF_HISTORY);
    for (let day = first; day <= Math.floor(to / DAY); day++) {
      const ago = openingDay - day;
      const begun = clampHour(Math.ceil((from - day * DAY) / HOUR));
      const ended = clampHour(Math.floor((to - day * DAY) / HOUR) + 1);
      if (ended <= begun || ago === project.missing) continue;
      const total = dayTotal(project, day, ago);
      rows.push({
        day,
        amount: costOfHours(total, day, begun, ended),
        bonuses: begun === 0 ? dayBonuses(project, day) : 0,
      });
    }
    return rows;
  }

  function costOfHours(total: number, day: number, begun: number, ended: number): number {
    const usual = costBefore(total, ended) - costBefore(total, begun);
    if (burns.length === 0) return usual;
    const hours = Array.from({ length: ended - begun }, (_, n) => begun + n);
    const more = hours.map((hour) => {
      const factor = burns.findLast(({ from }) => day * DAY + hour * HOUR > from)?.factor ?? 1;
      return (factor - 1) * (costBefore(total, hour + 1) - costBefore(total, hour));
    });
    return usual + sum(more);
  }

  function openingBalance(project: SimulatedProject): number {
    if ('units' in project.left) return project.left.units;
    const week = bookedDays(project, (openingDay - 7) * DAY, openingDay * DAY - 1).map(
      ({ amount }) => amount,
    );
    return Math.round((project.left.days * sum(week)) / week.length) - project.bonusesLeft;
  }

  return {
    setBurn: (factor: number, from: number) => void burns.push({ from, factor }),
    /** `from` and `to` are ms since the epoch, both included. */
    charges(id: string, from: number, to: number): Charge[] {
      const project = findProject(id);
      return bookedDays(project, from, to).map(({ day, amount, bonuses }) => ({
        day: new Date(day * DAY).toISOString().slice(0, 10),
        amount: digits(amount, project.scale),
        bonuses: digits(bonuses, project.scale),
      }));
    },
    balance(id: string, at: number) {
      const project = findProject(id);
      const spent = sum(bookedDays(project, opened + 1, at).map(({ amount }) => amount));
      return {
        balance: digits(openingBalance(project) - spent, project.scale),
        bonuses: digits(project.bonusesLeft, project.scale),
      };
    },
  };
}

function findProject(id: string): SimulatedProject {
  const project = PROJECTS.find((candidate) => candidate.id === id);
  if (!project) throw new RangeError(`Unknown project ${id}.`);
  return project;
}

function dayTotal(project: SimulatedProject, day: number, ago: number): number {
  if (ago === project.credit) return -Math.round(project.perDay * 0.15);
  const weekday = (day + 4) % 7;
  const weekly = weekday === 0 || weekday === 6 ? project.weekend : 1;
  const wobble = 1 + project.wobble * (2 * pseudoRandom(`${project.id} amount ${day}`) - 1);
  const growth = 1 - project.growth * ago;
  const spike = ago === project.spike ? 1.38 : 1;
  return Math.round(project.perDay * weekly * wobble * growth * spike);
}

function dayBonuses(project: SimulatedProject, day: number): number {
  const drawn = pseudoRandom(`${project.id} bonuses ${day}`) < project.bonusDays;
  return drawn ? Math.round(project.perDay * 0.01) : 0;
}

function costBefore(total: number, hours: number): number {
  return Math.trunc((total * (SHARES_BEFORE[hours] ?? 0)) / ALL_SHARES);
}

function clampHour(hour: number): number {
  return Math.min(24, Math.max(0, hour));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}

function digits(units: number, scale: number): string {
  const padded = String(Math.abs(units)).padStart(scale + 1, '0');
  return `${units < 0 ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** A text always gives the same number in [0, 1): FNV-1a with murmur3's finalizer. */
function pseudoRandom(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
