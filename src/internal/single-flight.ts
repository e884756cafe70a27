/**
 * Runs `task` at most once at a time: whoever calls while it runs gets the same promise. The slot is free again as soon
 * as the task has settled, however it settled.
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
