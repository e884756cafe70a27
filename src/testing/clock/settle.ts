import { requestsUnderWay } from './requests-under-way.js';

/** Captured when the module loads, before a test installs fake timers. */
const { setImmediate, MessageChannel } = globalThis as typeof globalThis & {
  setImmediate?: (callback: () => void) => unknown;
};
const now = performance.now.bind(performance);

/** Promises and streams in this process make progress at every turn of the event loop. */
const quietTurns = 8;

/**
 * A server that is handling a request may be waiting for a file or for another server, so this waits a little longer. A
 * request that stays unanswered costs a test this much each time.
 */
const quietTurnsAtWork = 40;
const quietMsAtWork = 4;

/** Bytes on their way between two sockets do arrive, but on a busy machine it takes a while. */
const quietMsOnTheWire = 100;

/** Gives up on work that never comes to rest. */
const mostTurns = 50_000;

/** Waits until promises, streams and requests to this machine have come to rest. `activity` changes with whatever happens. */
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
    if (quiet >= quietTurnsAtWork && now() - quietSince >= quietMs) break;
  }
  requests.forgetWire();
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
