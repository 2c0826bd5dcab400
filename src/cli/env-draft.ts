/**
 * The `.env` that `tally init` fills in, which is also what it remembers: a variable that is in it is not asked for again.
 * Lines are only ever added, each in one write, so that stopping at any moment leaves a whole file.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const OPTIONS_LINE = /^# tally init((?: --(?:socket|url \S+|prefix \S+))+)$/m;

export class EnvDraft {
  private constructor(
    readonly path: string,
    private text: string | undefined,
  ) {}

  static open(path: string): EnvDraft {
    try {
      return new EnvDraft(path, readFileSync(path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new EnvDraft(path, undefined);
    }
  }

  get exists(): boolean {
    return this.text !== undefined;
  }

  /** The options of the run that began it, which decide what the Slack app is like. */
  get options(): readonly string[] | undefined {
    return OPTIONS_LINE.exec(this.text ?? '')?.[1]
      ?.trim()
      .split(' ')
      .filter(Boolean);
  }

  get values(): Readonly<Record<string, string | undefined>> {
    return parseEnv(this.text ?? '');
  }

  /** @throws Error `EEXIST` if somebody else made the file since it was opened */
  addOptions(options: readonly string[]): void {
    this.add(['# tally init', ...options].join(' '));
  }

  /** An empty value notes that there is none. @returns false if no line of the file can say it */
  addValue(name: string, value: string): boolean {
    const line = /[\s#'"`\\]/.test(value) ? `${name}='${value}'` : `${name}=${value}`;
    if (parseEnv(line)[name] !== value) return false;
    this.add(line);
    return true;
  }

  private add(line: string): void {
    if (this.text === undefined) createWhole(this.path, `${line}\n`);
    else appendFileSync(this.path, `${/(?:^|\n)$/.test(this.text) ? '' : '\n'}${line}\n`);
    this.text = readFileSync(this.path, 'utf8');
  }
}

/** A link fails where a file is already, and shows the new one only with everything in it. */
function createWhole(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
}
