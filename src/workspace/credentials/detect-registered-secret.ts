import { Failure } from '../../domain/failure/index.ts';
import { holdsUnknownWord } from '../../domain/language/parse-command-text.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Workspace } from '../record/workspace.ts';
import { fingerprintOf } from './credential-records.ts';

const MIN_SECRET_LENGTH = 6;

const DELIMITERS = /[\s"'`‘’“”<>()[\]{}|,;*]+/;
const ASSIGNMENT = /[:=]+/;

/** Splits a text into pieces that could be a whole secret: words, and values such as the part after `token=`. */
const splitPieces = (text: string): readonly string[] => {
  const words = [...text.split(/\s+/), ...text.split(DELIMITERS)];
  const pieces = words.flatMap((word) => [word, word.replace(/[.!?:]$/, ''), ...word.split(ASSIGNMENT)]);
  return [...new Set(pieces)].filter((piece) => piece.length >= MIN_SECRET_LENGTH);
};

/**
 * Whether a text contains a secret of this workspace. Tokens are compared by fingerprint; an access's secret is
 * decrypted to compare it.
 */
export function holdsRegisteredSecret(text: string, record: Workspace): boolean {
  const pieces = splitPieces(text).filter((piece) => mayBeSecret(piece, record));
  if (pieces.length === 0) return false;
  const fingerprints = new Set([...record.connections.values()].map(({ fingerprint }) => fingerprint));
  if (pieces.some((piece) => fingerprints.has(fingerprintOf(piece)))) return true;
  return [...record.accesses.values()].some((access) => {
    const secret = tryParse(access.open, Failure)?.secret;
    return secret !== undefined && pieces.includes(secret);
  });
}

/** An unknown word may be a secret, and so may a number of nine or more digits. */
const mayBeSecret = (piece: string, { aliases, connectionNames }: Workspace): boolean =>
  !connectionNames.includes(piece) && (/^\d{9,}$/.test(piece) || holdsUnknownWord(piece, aliases));
