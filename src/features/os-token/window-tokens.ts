import { grantHandle } from '../../workspace/once/one-time-grants.ts';

/** What a window leads to: a token that was issued from it, or only what another one is asked for. */
export interface WindowToken {
  /** The handle, and the token encrypted if it can be revoked from the window. */
  readonly carried: string;
  /** When the token expires, in ms; `unknown` if the service does not say, undefined without a token. */
  readonly expires: number | 'unknown' | undefined;
}

export const canRevoke = ({ carried }: WindowToken): boolean => carried.includes(' ');

/** The tokens that may still work. @param now ms */
export const liveTokens = (tokens: readonly WindowToken[], now: number): readonly WindowToken[] =>
  tokens.filter(({ expires }) => expires === 'unknown' || (expires !== undefined && expires > now));

/** As `private_metadata`, in the same order. @see parseWindowTokens */
export const serializeWindowTokens = (tokens: readonly WindowToken[]): string =>
  tokens
    .map(({ carried, expires }) => [carried, ...(expires === undefined ? [] : [`!${expires}`])].join(' '))
    .join('\n');

/** Outside text: what it leads to is checked when it is claimed. */
export const parseWindowTokens = (metadata: string): readonly WindowToken[] =>
  metadata.split('\n').flatMap((line): WindowToken[] => {
    const words = line.split(' ').filter(Boolean);
    const carried = words.filter((word) => !word.startsWith('!')).join(' ');
    return carried === '' ? [] : [{ carried, expires: expiresIn(words) }];
  });

/** An entry with two halves has a token, whatever its expiry says. */
function expiresIn(words: readonly string[]): WindowToken['expires'] {
  const mark = words.find((word) => word.startsWith('!'));
  if (mark === undefined) return words.length > 1 ? 'unknown' : undefined;
  const at = Number(mark.slice(1));
  return Number.isSafeInteger(at) ? at : 'unknown';
}

/**
 * As many as `limit` characters hold, newest first: the oldest cannot be revoked any more, and if that is not enough, are
 * not listed either.
 */
export function fitWindowTokens(tokens: readonly WindowToken[], limit: number): readonly WindowToken[] {
  if (serializeWindowTokens(tokens).length <= limit) return tokens;
  const oldest = tokens.findLastIndex(canRevoke);
  const fewer =
    oldest < 0
      ? tokens.slice(0, -1)
      : tokens.map((token, at) =>
          at === oldest ? { ...token, carried: grantHandle(token.carried) } : token,
        );
  return fitWindowTokens(fewer, limit);
}
