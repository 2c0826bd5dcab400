import module from 'node:module';
import { join } from 'node:path';
import { nameSourcesInStackTraces } from './stack-traces.ts';

/**
 * For a process that is about to load the bundle. Stack traces name the files of src. From Node 22.8 on, compiled code is
 * kept beside the bundle: a folder for temporary files may be one that others write to. Node goes on without where it
 * can't write.
 */
export function prepareNode(): void {
  nameSourcesInStackTraces();
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));
}
