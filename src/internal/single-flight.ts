/**
 * Runs `task` at most once at a time: calls while it runs get the same promise. Once it has settled, the next call runs it again.
 */
export function singleFlight<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= task().finally(() => {
      running = undefined;
    });
    return running;
  };
}
