import { isFailure } from '../domain/failure.ts';
import type { Consumption } from './client.ts';

/** What an answer could do without did not come: why, in a sentence, and what the service said: outside text. */
export interface Missed {
  readonly why: string;
  readonly remarks: readonly string[];
}

/** Figures that are worth having beside others and not worth failing for. Rejects with what is no Failure. */
export async function aside(asking: Promise<Consumption>): Promise<Consumption | Missed> {
  try {
    return await asking;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { why: error.message, remarks: error.kind === 'graphql-errors' ? error.messages : [] };
  }
}

/** The remarks beside several answers, each once. */
export function remarksOf(...answers: readonly { readonly remarks: readonly string[] }[]): readonly string[] {
  return [...new Set(answers.flatMap(({ remarks }) => remarks))];
}
