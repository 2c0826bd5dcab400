import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Prompts {
  /** @returns what was typed, without spaces around it */
  ask(question: string): Promise<string>;
  /** The same, but what is typed stays hidden. */
  askHidden(question: string): Promise<string>;
  close(): void;
}

/** Asks on standard error, so that standard output can be piped. @param stopped called at Ctrl-C and at the end of the input */
export function openPrompts(stopped: () => never): Prompts {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  lines.once('SIGINT', stopped);
  lines.once('close', stopped);
  return {
    ask: async (question) => (await lines.question(question)).trim(),
    async askHidden(question) {
      process.stderr.write(question);
      isHidden = true;
      const typed = await lines.question('');
      isHidden = false;
      process.stderr.write('\n');
      return typed.trim();
    },
    close() {
      lines.off('close', stopped);
      lines.close();
    },
  };
}
