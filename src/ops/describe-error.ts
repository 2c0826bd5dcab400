import { isFailure } from '../domain/failure/index.ts';

interface Description {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: Description;
}

const DEEPEST = 5;

/**
 * What of an error may be logged: its names, its sentence, its code and its causes. Other properties stay out, since
 * clients hang requests, responses and arguments on their errors. Of our own failures the sentence is enough; what is
 * unknown keeps its stack.
 */
export function errorSummary(error: unknown, depth = 0): Description {
  if (!(error instanceof Error))
    return { name: typeof error, message: typeof error === 'string' ? error : '' };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    name,
    message,
    ...(isFailure(error) ? { kind: error.kind } : stack !== undefined && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < DEEPEST && { cause: errorSummary(cause, depth + 1) }),
  };
}
