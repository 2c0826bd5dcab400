/**
 * Lines between a process and everything it talks to. What it says about the workspace is counted, a step each, and at
 * one of these steps something breaks.
 */
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net';

/** What a line does with what is said at the step. */
export type Treatment =
  /** Goes on as if nothing were. */
  | 'pass'
  /** It does not arrive, and the connection breaks. */
  | 'break-before'
  /** It arrives, and the connection breaks before the answer does. */
  | 'break-after';

export interface Lines {
  /** @param target a socket's path, or a port of the loopback @returns the same of the line */
  open(target: string | number): Promise<string | number>;
  /** From now on steps are counted. @param strike called at that step; it may take its time, and says what the line does */
  arm(step: number, strike: () => Treatment | Promise<Treatment>): void;
  /** Nothing breaks any more. @returns how many steps there were since */
  disarm(): number;
  /** Called with everything that is answered. */
  onAnswer: (text: string) => void;
  close(): Promise<void>;
}

/** @param about what a step mentions: everything else is chatter, such as a queue's waiting */
export function createLines(about: readonly string[]): Lines {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let steps = 0;
  let armed: { readonly step: number; readonly strike: () => Treatment | Promise<Treatment> } | undefined;

  const treatmentOf = (chunk: Buffer): Treatment | Promise<Treatment> => {
    if (armed === undefined || !about.some((word) => chunk.includes(word))) return 'pass';
    steps += 1;
    if (steps !== armed.step) return 'pass';
    return armed.strike();
  };

  const join = (client: Socket, far: Socket): void => {
    let isBroken = false;
    const end = () => {
      client.destroy();
      far.destroy();
    };
    client.on('data', async (chunk) => {
      const treatment = treatmentOf(chunk);
      // Without a fault nothing is reordered: only a strike is waited for.
      const what = typeof treatment === 'string' ? treatment : await treatment;
      if (what === 'break-before') return end();
      isBroken ||= what === 'break-after';
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      lines.onAnswer(chunk.toString('latin1'));
      if (isBroken) end();
      else client.write(chunk);
    });
    for (const socket of [client, far]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          end();
        });
    }
  };

  const lines: Lines = {
    async open(target) {
      const server = createServer((client) =>
        join(client, typeof target === 'string' ? netConnect(target) : netConnect(target, '127.0.0.1')),
      );
      servers.push(server);
      const path = typeof target === 'string' ? `${target}.line` : undefined;
      await new Promise<void>((resolve) =>
        path === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(path, resolve),
      );
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : (path ?? '');
    },
    arm(step, strike) {
      steps = 0;
      armed = { step, strike };
    },
    disarm() {
      armed = undefined;
      return steps;
    },
    onAnswer: () => undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return lines;
}
