import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** The pipe closes when this process ends. SIGCONT comes first, because a stopped process can't end. */
const GUARD_SCRIPT = 'cat >/dev/null; kill -CONT "$1"; kill -9 "$1"; [ -z "$2" ] || rm -rf "$2"';

/**
 * Kills a child when this process ends, however it ends.
 * @param folder deleted with the child
 */
export function endWithParent(child: ChildProcess, folder = ''): void {
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Otherwise Ctrl-C would end the guard before the child.
    detached: true,
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  child.once('exit', () => guard.kill('SIGKILL'));
}
