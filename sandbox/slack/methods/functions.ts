import { type Arguments, type Method, type MethodContext, MethodError, textArgument } from './method.ts';

const ID = 'function_execution_id';

/** Workflow Builder's methods: each step ends once. */
export const functions: Record<string, Method> = {
  'functions.completeSuccess': {
    required: [ID, 'outputs'],
    run: (args, context) => complete(args, context, { outputs: outputsOf(args.outputs) }),
  },
  'functions.completeError': {
    required: [ID, 'error'],
    run: (args, context) => complete(args, context, { error: textArgument(args.error) }),
  },
};

function complete(
  args: Arguments,
  { steps }: MethodContext,
  result: { outputs: Record<string, unknown> } | { error: string },
) {
  const problem = steps.complete(textArgument(args[ID]), result);
  if (problem !== undefined) throw new MethodError(problem);
  return { ok: true as const };
}

/** A form carries them as JSON text. */
function outputsOf(given: unknown): Record<string, unknown> {
  try {
    const outputs: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    if (typeof outputs === 'object' && outputs !== null) return outputs as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new MethodError('invalid_arguments');
}
