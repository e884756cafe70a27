import { cryptoWork } from './crypto-work.js';
import { requestsUnderWay } from './requests-under-way.js';
import { zlibWork } from './zlib-work.js';

/** Captured when the module loads, before a test installs fake timers. */
const { setImmediate, setTimeout } = globalThis;
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

/**
 * How often a millisecond is waited for work in real time, such as a timer of a server in the test: since anything else has
 * happened, and in all. Counted, because on a busy machine each takes longer, and the work as well.
 */
const mostNaps = 500;
const mostNapsInAll = 3500;

/**
 * Returns what waits until promises, streams, requests to this machine, real timers and files have come to rest. Timers that
 * outlast one wait do not hold up the next. `activity` changes with whatever happens.
 */
export function createSettle(activity: () => number): () => Promise<void> {
  const requests = requestsUnderWay();
  const count = () => activity() + requests.activity;
  let ignored = realWork();
  return async () => {
    let seen = count();
    let working = realWork();
    ignored = Math.min(ignored, working);
    let quiet = 0;
    let quietSince = 0;
    let naps = 0;
    let napsInAll = 0;
    for (let turns = 0; turns < mostTurns && naps < mostNaps && napsInAll < mostNapsInAll; turns++) {
      const mayNap = working > ignored && quiet >= quietTurns;
      await (mayNap ? nap() : turn());
      if (mayNap) {
        naps++;
        napsInAll++;
      }
      const before = working;
      working = realWork();
      // Nobody can tell which one has ended: rather wait for one that need not be waited for.
      ignored = Math.max(0, ignored - Math.max(0, before - working));
      if (count() !== seen || working !== before) {
        if (count() !== seen) naps = 0;
        seen = count();
        quiet = 0;
        continue;
      }
      if (quiet++ === 0) quietSince = now();
      if (quiet < quietTurns || working > ignored) continue;
      if (!requests.any) return;
      const quietMs = requests.onTheWire ? quietMsOnTheWire : quietMsAtWork;
      if (quiet >= quietTurnsAtWork && now() - quietSince >= quietMs) break;
    }
    ignored = working;
    requests.forgetWire();
  };
}

/** A file that is being closed is a `CloseReq`. */
const workNames = /^(?:Timeout|CloseReq|FSReq.*|GetAddrInfoReqWrap|GetNameInfoReqWrap|QueryReqWrap)$/;

/**
 * How many timers, file operations, look-ups of names, compressions and operations of WebCrypto are pending in this process.
 * Other runtimes may not tell.
 */
function realWork(): number {
  const names = globalThis.process?.getActiveResourcesInfo?.() ?? [];
  return names.filter((name) => workNames.test(name)).length + zlibWork().size + cryptoWork().size;
}

/** Waits for what nobody can see at work, such as a database: a millisecond at a time, 500 times. */
export async function napUntil(isOver: () => boolean): Promise<void> {
  for (let naps = 0; naps < mostNaps && !isOver(); naps++) await nap();
}

function nap(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1));
}

/** Waits for one turn of the event loop, in real time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
