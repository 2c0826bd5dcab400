import type { Figures } from './causes.ts';

/**
 * The parts of a web address that sentences and commands may show.
 *
 * @param variable where it is written
 * @param tried what a person can ask for with curl, by default the address itself
 */
export function webFigures(variable: string, address: string, tried: string = address): Figures {
  const url = new URL(address);
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  return {
    ...{ variable, host: url.hostname.replace(/^\[|\]$/g, ''), port },
    ...{ address: `${url.hostname}:${port}`, try: `curl -sS ${tried}` },
  };
}
