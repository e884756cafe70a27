import type { RunConnection, RunFacts, Sample } from '../../../../examples/service/syncs/run.js';
import type { RunEnd } from '../../../../examples/service/syncs/store/run-store.js';
import { connections, type SyncsHost } from './syncs-host.js';

const windowMs = 20_000;
const quota = 240;

export interface Played {
  readonly id: number;
  /** Goes on for so many seconds: as a run that writes as fast as its quota lets it. */
  play(seconds: number): void;
  end(end: RunEnd): void;
}

/** A run of 520 issues, second by second, as the service would record it. */
export function playRun(host: SyncsHost, seconds: number): Played {
  const { store, time } = host;
  const { id, startedMs } = store.begin({ connector: 'GitHub', connections, trigger: 'schedule' });
  const counts = { source: 0, target: 0, logins: 1, pauses: 0, refused: 0, waitedMs: 0, written: 0 };
  let second = 0;
  let pause: { id: number; untilMs: number } | undefined;
  const write = (samples: Sample[]) => store.progress(id, factsOf(counts, second), samples);
  for (const { name } of connections) store.addEvent(id, name, startedMs + 300, { type: 'login', reason: 'first' });
  const play = (count: number) => {
    for (let step = 0; step < count; step++, second++) {
      const [atMs, inWindow] = [startedMs + second * 1000, (second * 1000) % windowMs];
      const samples: Sample[] = [];
      const take = (connection: string, requests: number, refused = 0) =>
        samples.push({ connection, second: Math.floor(atMs / 1000), requests, refused });
      if (second < 3 || second % 31 === 0) {
        take('Source', second < 3 ? 3 : 1);
        counts.source += second < 3 ? 3 : 1;
      }
      if (pause !== undefined && atMs >= pause.untilMs) {
        const { id: event, untilMs } = pause;
        store.changeEvent(event, { type: 'pause', untilMs, source: 'header', endedMs: untilMs + 40 });
        pause = undefined;
      }
      if (pause !== undefined) counts.waitedMs += 1000;
      else {
        const isLimit = inWindow === 11_000;
        const requests = isLimit ? 4 : 18 + ((second * 7) % 9);
        take('Target', requests, isLimit ? 1 : 0);
        counts.target += requests;
        counts.written = Math.min(500, counts.written + requests - 3);
        if (isLimit) {
          counts.refused += 1;
          counts.pauses += 1;
          const untilMs = atMs - inWindow + windowMs;
          const data = { type: 'pause', untilMs, source: 'header', endedMs: null } as const;
          pause = { id: store.addEvent(id, 'Target', atMs + 200, data), untilMs };
          if (counts.pauses === 1) {
            store.addEvent(id, 'Target', untilMs, { type: 'quota', quota: { limit: quota, windowMs } });
          }
        }
      }
      if (second > 0 && second % 34 === 0) {
        counts.logins += 1;
        store.addEvent(id, 'Target', atMs + 500, { type: 'login', reason: 'expired' });
      }
      time.nowMs = atMs + 1000;
      write(samples);
    }
  };
  play(seconds);
  return {
    id,
    play,
    end(end) {
      if (end.state === 'finished') counts.written = 520;
      if (pause !== undefined) {
        const { id: event, untilMs } = pause;
        store.changeEvent(event, { type: 'pause', untilMs, source: 'header', endedMs: time.nowMs });
      }
      write([]);
      store.end(id, end);
    },
  };
}

type Counts = Record<'source' | 'target' | 'logins' | 'pauses' | 'refused' | 'waitedMs' | 'written', number>;

function factsOf(counts: Counts, second: number): RunFacts {
  const { written, logins, pauses, refused, waitedMs } = counts;
  const target: RunConnection = {
    ...{ ...connections[1], session: 'active', requests: counts.target, logins, pauses, refused, waitedMs },
    quota: pauses > 0 ? { limit: quota, windowMs } : null,
  };
  const none = { refused: 0, pauses: 0, waitedMs: 0, quota: null };
  const source: RunConnection = { ...connections[0], session: 'active', requests: counts.source, logins: 1, ...none };
  const isReading = second < 3;
  return {
    ...(isReading
      ? { phase: 'Reading', done: second * 150, total: 0 }
      : { phase: 'Writing', done: written, total: 520 }),
    ...{ read: isReading ? 0 : 520, written, unchanged: 0, failed: 0, connections: [source, target] },
  };
}
