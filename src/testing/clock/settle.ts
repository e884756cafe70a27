import { requestsUnderWay } from './requests-under-way.js';

/** Taken when the module loads, so that a test's fake timers do not stop it. */
const { setImmediate, MessageChannel } = globalThis as typeof globalThis & {
  setImmediate?: (callback: () => void) => unknown;
};
const now = performance.now.bind(performance);

/** Promises and streams within this process go on at every turn of the event loop. */
const quietTurns = 8;

/**
 * A request that a server works on may still go on by itself, with a file or another server. One that gets no answer
 * before time moves on costs a test as much.
 */
const quietTurnsAtWork = 40;
const quietMsAtWork = 4;

/** Bytes between two sockets do arrive, on a busy machine after a while. */
const quietMsOnTheWire = 100;

/** No test waits for something that goes on and on without a timer. */
const mostTurns = 50_000;

/**
 * Lets everything have its turn that is under way: promises, streams, and requests to servers of this machine. It is over
 * when nothing has happened for a while.
 *
 * @param activity a number that changes whenever something happens.
 */
export async function settle(activity: () => number): Promise<void> {
  const requests = requestsUnderWay();
  const count = () => activity() + requests.activity;
  let seen = count();
  let quiet = 0;
  let quietSince = 0;
  for (let turns = 0; turns < mostTurns; turns++) {
    await turn();
    if (count() !== seen) {
      seen = count();
      quiet = 0;
      continue;
    }
    if (quiet++ === 0) quietSince = now();
    if (quiet < quietTurns) continue;
    if (!requests.any) return;
    const quietMs = requests.onTheWire ? quietMsOnTheWire : quietMsAtWork;
    if (quiet >= quietTurnsAtWork && now() - quietSince >= quietMs) return;
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
