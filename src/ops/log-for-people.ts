/** Loaded only where the log goes to a terminal. */

/** The fields before the sentence, in this order; all other fields follow it. */
const FIRST = ['event', 'route', 'message', 'outcome', 'ms', 'workspace'];

/**
 * @returns a finished line of the log → what a person reads in a terminal, without the control characters of outside text;
 *   undefined where pino-pretty isn't installed, as in production
 */
export async function loadPrettyLine(): Promise<((line: string) => string) | undefined> {
  const pretty = await import('pino-pretty').catch(() => undefined);
  return pretty?.prettyFactory({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    ignore: FIRST.join(),
    messageFormat: `${FIRST.map((name) => `{if ${name}}{${name}}${name === 'ms' ? ' ms' : ''} {end}`).join('')}{msg}`,
  }) as ((line: string) => string) | undefined;
}
