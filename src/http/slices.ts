let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller has. Between two of them, everybody's requests are read. */
export function nextEventLoopTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** Does work that pauses itself, each part in a turn of its own. @throws what the work throws */
export async function runInSlices<T>(work: Generator<void, T>): Promise<T> {
  let part = work.next();
  const isShort = part.done;
  while (!part.done) {
    await nextEventLoopTurn();
    part = work.next();
  }
  // Converting a large answer runs in a turn of its own, too, so that others aren't held up.
  if (!isShort) await nextEventLoopTurn();
  return part.value;
}
