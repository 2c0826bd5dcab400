/** A text's bucket, from 0 to `count` - 1, by FNV-1a: the same in every process. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}
