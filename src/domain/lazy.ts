/** A value that is made when it is first read, and kept. For tables that many processes never need. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
