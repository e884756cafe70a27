/**
 * Runs `task` over the items, at most `concurrency` at once and in their order. The first failure or an abort lets no
 * further item start; what has started is awaited before this rejects, so that nothing is still writing afterwards.
 */
export async function eachOf<Item>(
  items: readonly Item[],
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let hasFailed = false;
  const work = async () => {
    for (const item of queue) {
      if (hasFailed) return;
      signal.throwIfAborted();
      try {
        await task(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, work));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}
