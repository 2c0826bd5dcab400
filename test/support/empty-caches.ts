/**
 * For mutation tests: each mutant would else be tried on what was worked out without it. Not in their package, which has
 * another version of the caches than the bot.
 */
import { LRUCache } from 'lru-cache';

const filled = new Set<LRUCache<object, object>>();
const { set } = LRUCache.prototype;
LRUCache.prototype.set = function (...entry) {
  filled.add(this);
  return set.apply(this, entry);
};

/** Empties every cache that was filled since this module was loaded. */
export function emptyCaches(): void {
  for (const cache of filled) cache.clear();
  filled.clear();
}
