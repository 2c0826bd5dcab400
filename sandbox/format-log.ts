/** Formats the bot's JSON log for a terminal. */

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const HIDDEN_FIELDS = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'v', 'name']);

export const WARN = 40;

/** Returns undefined for a line below `minLevel`; a line that is not pino's JSON is returned as it is. */
export function formatLogLine(line: string, minLevel: number): string | undefined {
  const entry = parsed(line);
  if (!entry) return line.trim() === '' ? undefined : line;
  const level = levelOf(entry.level);
  if (level < minLevel) return undefined;
  const { msg, err } = entry as { msg?: string; err?: { message?: string; stack?: string } };
  const rest = Object.entries(entry).filter(([key]) => !HIDDEN_FIELDS.has(key));
  const details = rest.map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const problem = err?.stack ?? err?.message;
  const head = ['bot', LEVELS[level / 10 - 1] ?? String(level), msg ?? '', ...details]
    .filter(Boolean)
    .join('  ');
  return problem ? `${head}\n    ${problem.replaceAll('\n', '\n    ')}` : head;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEntry = typeof value === 'object' && value !== null && 'level' in value;
    return isEntry ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Pino writes the level as a number, or by name when configured so. */
function levelOf(level: unknown): number {
  return typeof level === 'string' ? (LEVELS.indexOf(level) + 1) * 10 : Number(level);
}
