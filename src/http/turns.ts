/** Work on an answer pauses after this many characters. */
export const PART = 16 * 1024;

let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller has. Between two of them, everybody's requests are read. */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** Does work that pauses itself, each part in a turn of its own. @throws what the work throws */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  let part = work.next();
  const isShort = part.done;
  while (!part.done) {
    await nextTurn();
    part = work.next();
  }
  // What is made of a large answer takes a turn of its own, too.
  if (!isShort) await nextTurn();
  return part.value;
}
