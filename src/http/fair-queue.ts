import { QueueFull } from '../domain/failure/index.ts';
import type { Priority, ServiceRequest } from './attempt.ts';
import type { HttpLimits } from './limits.ts';

type Asked = Pick<ServiceRequest, 'service' | 'tenant' | 'priority'>;

interface FairQueue {
  /**
   * Runs `work` when its turn at the origin has come.
   * @throws {QueueFull} where too many of the workspace wait already, or a person's question waited for too long
   */
  run<T>(origin: string, question: Asked, work: () => Promise<T>): Promise<T>;
  /** Refuses whatever waits, and from now on whatever would have to. */
  close(): void;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/** One workspace at one origin. */
interface Line {
  underWay: number;
  readonly waiting: Readonly<Record<Priority, Waiting[]>>;
}

interface Origin {
  free: number;
  /** Background questions under way. */
  background: number;
  /** By workspace; the one whose turn was longest ago stands first. */
  readonly lines: Map<string, Line>;
}

/**
 * Shares the connections to each origin among workspaces, in turn. A workspace has at most as many under way as are
 * free: one alone gets half of them, two get a third each, and whoever comes next finds one free, even while all that
 * others asked hangs. What is asked in the background goes last, and altogether by the same measure.
 *
 * p-limit, p-queue and fastq know a single line; the groups of BullMQ are not in its free edition.
 */
export function createFairQueue({ connections, waiting: most, patience }: HttpLimits): FairQueue {
  const origins = new Map<string, Origin>();
  let isClosed = false;

  function next({ free, background, lines }: Origin): { workspace: string; priority: Priority } | undefined {
    for (const priority of ['interactive', 'background'] as const) {
      if (priority === 'background' && background >= free) return undefined;
      for (const [workspace, { underWay, waiting }] of lines)
        if (waiting[priority].length > 0 && underWay < free) return { workspace, priority };
    }
    return undefined;
  }

  function startAll(origin: Origin): void {
    for (let turn = next(origin); turn !== undefined; turn = next(origin)) {
      const { workspace, priority } = turn;
      const line = lineOf(origin, workspace);
      // Behind the others, until its next turn.
      origin.lines.delete(workspace);
      origin.lines.set(workspace, line);
      line.waiting[priority].shift()?.start();
    }
  }

  /** Resolves at its turn, which it has taken by then. */
  function turn(
    name: string,
    workspace: string,
    { service, priority = 'interactive' }: Asked,
  ): Promise<void> {
    const origin = originOf(name);
    const line = lineOf(origin, workspace);
    const queue = line.waiting[priority];
    if (priority === 'interactive' && queue.length >= most) throw new QueueFull(service);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const one: Waiting = {
        start() {
          clearTimeout(timer);
          line.underWay += 1;
          origin.free -= 1;
          if (priority === 'background') origin.background += 1;
          resolve();
        },
        refuse() {
          clearTimeout(timer);
          reject(new QueueFull(service));
        },
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(one), 1);
        forgetIdle(name, workspace);
        one.refuse();
      };
      if (priority === 'interactive') timer = setTimeout(giveUp, patience);
      queue.push(one);
      startAll(origin);
      if (isClosed && queue.includes(one)) giveUp();
    });
  }

  function end(name: string, workspace: string, { priority }: Asked): void {
    const origin = originOf(name);
    lineOf(origin, workspace).underWay -= 1;
    origin.free += 1;
    if (priority === 'background') origin.background -= 1;
    startAll(origin);
    forgetIdle(name, workspace);
  }

  function forgetIdle(name: string, workspace: string): void {
    const origin = originOf(name);
    const { underWay, waiting } = lineOf(origin, workspace);
    if (underWay === 0 && Object.values(waiting).every(({ length }) => length === 0))
      origin.lines.delete(workspace);
    if (origin.lines.size === 0) origins.delete(name);
  }

  const originOf = (name: string): Origin =>
    found(origins, name, () => ({ free: connections, background: 0, lines: new Map() }));

  return {
    async run(name, question, work) {
      const workspace = question.tenant?.workspace ?? '';
      await turn(name, workspace, question);
      try {
        return await work();
      } finally {
        end(name, workspace, question);
      }
    },
    close() {
      isClosed = true;
      for (const { lines } of origins.values())
        for (const { waiting } of lines.values())
          for (const queue of Object.values(waiting)) for (const one of queue.splice(0)) one.refuse();
    },
  };
}

const lineOf = ({ lines }: Origin, workspace: string): Line =>
  found(lines, workspace, () => ({ underWay: 0, waiting: { interactive: [], background: [] } }));

/** What the map has there, made where it has nothing. */
function found<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
