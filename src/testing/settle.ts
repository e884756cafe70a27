/** Taken when the module loads, so that a test's fake timers do not stop it. */
const { setImmediate, MessageChannel } = globalThis as typeof globalThis & {
  setImmediate?: (callback: () => void) => unknown;
};

/** A request on a connection of this machine, there and back, takes about four turns of the event loop. */
const quietTurns = 8;

/** No test waits for something that goes on and on without a timer. */
const mostTurns = 50_000;

/**
 * Lets everything have its turn that is under way: promises, streams and sockets of this machine. It is over when nothing
 * has happened for a few turns of the event loop.
 *
 * @param activity a number that changes whenever something happens.
 */
export async function settle(activity: () => number): Promise<void> {
  let seen = activity();
  let turns = 0;
  for (let quiet = 0; quiet < quietTurns && turns < mostTurns; turns++) {
    await turn();
    if (activity() === seen) quiet++;
    else quiet = 0;
    seen = activity();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate !== undefined) {
      setImmediate(() => resolve());
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
