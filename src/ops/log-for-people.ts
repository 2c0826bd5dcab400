/** Loaded only where the log goes to a terminal. */
import { prettyFactory } from 'pino-pretty';

/** The fields before the sentence, in this order; all other fields follow it. */
const FIRST = ['event', 'route', 'message', 'outcome', 'ms', 'workspace'];

/** A finished line of the log → what a person reads in a terminal. Control characters of outside text are taken out. */
export const prettyLine: (line: string) => string = prettyFactory({
  colorize: true,
  translateTime: 'SYS:HH:MM:ss.l',
  singleLine: true,
  ignore: FIRST.join(),
  messageFormat: `${FIRST.map((name) => `{if ${name}}{${name}}${name === 'ms' ? ' ms' : ''} {end}`).join('')}{msg}`,
}) as (line: string) => string;
