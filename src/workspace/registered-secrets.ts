import { holdsUnknownWord } from '../domain/language/parse.ts';
import { fingerprintOf } from './connections.ts';
import { tryUnseal } from './fields.ts';
import type { Workspace } from './workspace.ts';

/** Registered secrets are longer; shorter pieces of a text are words. */
const SHORTEST = 6;

/** Signs that people and Slack write around a word and between a name and its value. */
const AROUND = /[\s"'`‘’“”<>()[\]{}|,;*]+/;
const BETWEEN = /[:=]+/;

/** Whatever in a text may be a secret in one piece: words, and what stands behind `token=`. A token has signs of its own. */
const piecesOf = (text: string): readonly string[] => {
  const words = [...text.split(/\s+/), ...text.split(AROUND)];
  const pieces = words.flatMap((word) => [word, word.replace(/[.!?:]$/, ''), ...word.split(BETWEEN)]);
  return [...new Set(pieces)].filter((piece) => piece.length >= SHORTEST);
};

/**
 * Whether somebody pasted a secret that this workspace registered: a connection's token, found by its fingerprint, or the
 * secret of an application access, which has none and is opened for it. Only words that mean nothing are compared.
 */
export function holdsRegisteredSecret(text: string, record: Workspace): boolean {
  const pieces = piecesOf(text).filter((piece) => mayBeSecret(piece, record));
  if (pieces.length === 0) return false;
  const fingerprints = new Set([...record.connections.values()].map(({ fingerprint }) => fingerprint));
  if (pieces.some((piece) => fingerprints.has(fingerprintOf(piece)))) return true;
  return [...record.accesses.values()].some((access) => {
    const secret = tryUnseal(access.open)?.secret;
    return secret !== undefined && pieces.includes(secret);
  });
}

/** A long number could be a project's ID and a token as well. */
const mayBeSecret = (piece: string, { aliases, connectionNames }: Workspace): boolean =>
  !connectionNames.includes(piece) && (/^\d{9,}$/.test(piece) || holdsUnknownWord(piece, aliases));
