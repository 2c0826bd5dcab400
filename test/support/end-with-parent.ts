import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Reads a pipe from this process, which closes with it. A stopped process has to go on before it can end. */
const GUARD_SCRIPT = 'cat >/dev/null; kill -CONT "$1"; kill -9 "$1"; [ -z "$2" ] || rm -rf "$2"';

/**
 * Kills a child when this process ends without having done so: a run that is killed leaves nothing behind.
 *
 * @param folder removed with it
 */
export function endWithParent(child: ChildProcess, folder = ''): void {
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C would end it before the child.
    detached: true,
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  child.once('exit', () => guard.kill('SIGKILL'));
}
