import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatQuota,
  formatRate,
  sayDuration,
} from '../../../examples/service/syncs/picture/format.js';
import { barsOf, frameOf, niceAbove, ticksOf } from '../../../examples/service/syncs/picture/frame.js';
import { drawLane } from '../../../examples/service/syncs/picture/lane.js';
import { applyUpdate, type PictureData } from '../../../examples/service/syncs/picture/model.js';
import { timelineOf } from '../../../examples/service/syncs/picture/timeline.js';
import { announce, describeRun } from '../../../examples/service/syncs/picture/words.js';
import {
  noFacts,
  type Run,
  type RunConnection,
  type RunEvent,
  type RunUpdate,
} from '../../../examples/service/syncs/run.js';
import { noon } from './helpers/syncs-host.js';

const target: RunConnection = {
  ...{ name: 'Target', repository: 'a/b', session: 'active', requests: 9, refused: 1, logins: 1, pauses: 1 },
  ...{ waitedMs: 4000, quota: null },
};

function run(changes: Partial<Run> = {}): Run {
  return {
    ...noFacts,
    ...{ id: 1, connector: 'GitHub', state: 'running', trigger: 'start', startedBy: null, stoppedBy: null },
    ...{ resumes: null, startedMs: noon, lastSeenMs: noon, endedMs: null, error: null },
    connections: [target],
    ...changes,
  };
}

const sample = (second: number, requests: number, refused = 0) => ({
  ...{ connection: 'Target', second: noon / 1000 + second, requests, refused },
});
const paused = (fromSecond: number, untilSecond: number, endedSecond?: number): RunEvent => ({
  ...{ id: fromSecond + 1, connection: 'Target', atMs: noon + fromSecond * 1000, type: 'pause', source: 'header' },
  ...{ untilMs: noon + untilSecond * 1000, endedMs: endedSecond === undefined ? null : noon + endedSecond * 1000 },
});
const data = (changes: Partial<PictureData> = {}): PictureData => ({ run: run(), samples: [], events: [], ...changes });
const at = (second: number) => noon + second * 1000;

describe('the picture of a run', () => {
  it('shows all of a short run, and the last two minutes of a long one unless the whole is asked for', () => {
    expect(frameOf(data(), 'recent', at(30))).toMatchObject({ fromMs: at(0), nowMs: at(30), binSeconds: 1 });
    expect(frameOf(data(), 'recent', at(600)).fromMs).toBe(at(480));
    const whole = frameOf(data(), 'whole', at(600));
    expect(whole).toMatchObject({ fromMs: at(0), binSeconds: 10 });
    expect(whole.toMs).toBeGreaterThan(at(600));
    const ended = frameOf(data({ run: run({ state: 'finished', endedMs: at(60) }) }), 'recent', at(9999));
    expect(ended).toMatchObject({ fromMs: at(0), toMs: at(60), nowMs: undefined });
  });

  it('fills its width with a run that took a second, and keeps room for one that goes on', () => {
    const brief = data({ run: run({ state: 'finished', endedMs: at(1) }) });
    expect(frameOf(brief, 'whole', at(60)).toMs).toBe(at(2));
    expect(frameOf(data(), 'whole', at(1)).toMs).toBe(at(20));
  });

  it('writes how long a pause is in front of the bars that begin in it', () => {
    const busy = data({ samples: [10, 11, 12].map((second) => sample(second, 9)), events: [paused(10, 12, 12)] });
    const svg = drawLane(busy, 'Target', frameOf(busy, 'recent', at(14)), 900);
    expect(svg.indexOf('class="pause-label"')).toBeGreaterThan(svg.lastIndexOf('class="bar"'));
    expect(svg.lastIndexOf('class="bar"')).toBeGreaterThan(0);
  });

  it('sums seconds up to bars, and does not take the last one for less than it is', () => {
    const long = data({ samples: [sample(0, 20), sample(9, 10, 2), sample(600, 8)] });
    const frame = frameOf(long, 'whole', at(602));
    expect(barsOf(long, 'Target', frame)).toEqual([
      { fromMs: at(0), requests: 30, refused: 2, rate: 3 },
      { fromMs: at(600), requests: 8, refused: 0, rate: 4 },
    ]);
  });

  it('shades a pause until now and what is ahead of it, and counts down', () => {
    const waiting = data({ events: [paused(10, 40)] });
    const early = drawLane(waiting, 'Target', frameOf(waiting, 'recent', at(12)), 900);
    expect(early).toContain('class="pause"');
    expect(early).toContain('class="pause-ahead"');
    expect(early).toContain('28 s left');
    const over = data({ events: [paused(10, 40, 41)] });
    const late = drawLane(over, 'Target', frameOf(over, 'recent', at(50)), 900);
    expect(late).not.toContain('pause-ahead');
    expect(late).toContain('Rate limit · 31 s');
  });

  it('ends the pause of a run that was cut off with the run', () => {
    const cut = data({ run: run({ state: 'interrupted', endedMs: at(15) }), events: [paused(10, 400)] });
    const svg = drawLane(cut, 'Target', frameOf(cut, 'whole', at(999)), 900);
    expect(svg).not.toContain('pause-ahead');
    expect(timelineOf(cut, at(999))[0]?.text).toBe('Paused for a rate limit: 5 s, until the run was cut off.');
  });

  it('never holds what is no number, however little there is, and escapes names', () => {
    const name = '"><script>';
    const odd = data({
      run: run({ connections: [{ ...target, name, quota: { limit: 1, windowMs: 1 } }] }),
      samples: [{ connection: name, second: noon / 1000, requests: 0, refused: 3 }],
      events: [{ ...paused(0, 0, 0), connection: name }],
    });
    for (const nowMs of [at(0), at(1), at(100_000)]) {
      const svg = drawLane(odd, name, frameOf(odd, 'whole', nowMs), 260);
      expect(svg).not.toMatch(/NaN|Infinity|undefined|<script/);
    }
  });

  it('has room for the labels of its axis, which count from the start of the run', () => {
    const frame = frameOf(data(), 'recent', at(100));
    const ticks = ticksOf(frame, noon, 6);
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.map(({ label }) => label).slice(0, 3)).toEqual(['0:00', '0:30', '1:00']);
    expect([0.4, 7, 118, 1700].map(niceAbove)).toEqual([0.4, 8, 120, 2000]);
  });
});

describe('the words for it', () => {
  it('say in a table what the picture shows, newest first', () => {
    const events: RunEvent[] = [
      { id: 90, connection: 'Target', atMs: at(0), type: 'login', reason: 'first' },
      paused(3, 8, 8),
      { id: 91, connection: 'Target', atMs: at(9), type: 'quota', quota: { limit: 120, windowMs: 5049 } },
    ];
    const samples = [sample(1, 20), sample(2, 10, 2), sample(9, 5)];
    const rows = timelineOf(data({ samples, events }), at(10)).map(({ elapsed, text }) => `${elapsed} ${text}`);
    expect(rows).toEqual([
      '0:09 Quota learned: 120 requests in 5 s.',
      '0:09 5 requests.',
      '0:03 Paused for a rate limit: 5 s.',
      '0:01 30 requests in 2 s, 15 a second; 2 requests refused.',
      '0:00 Logged in.',
    ]);
  });

  it('say it in a sentence for who listens', () => {
    const writing = run({ phase: 'Writing', done: 3, total: 5 });
    expect(describeRun(writing)).toBe('Writing: 3 of 5 issues.');
    expect(announce(data({ run: writing, events: [paused(0, 62)] }), at(1))).toBe(
      'Run 1 running. Writing: 3 of 5 issues. Target paused for a rate limit, 1 minute 1 second left.',
    );
  });

  it('never say that a wait is shorter than it is', () => {
    expect([1, 1000, 1001, 61_000, 3_600_001, 90_000_000].map(formatDuration)).toEqual([
      ...['1 s', '1 s', '2 s', '1 min 1 s', '1 h 1 min', '1 day 1 h'],
    ]);
    expect(sayDuration(7_200_000)).toBe('2 hours');
    expect([0, 0.04, 3.14, 24.6].map(formatRate)).toEqual(['0', '0.1', '3.1', '25']);
    expect(formatQuota({ limit: 1, windowMs: 60_000 })).toBe('1 request in 1 min');
  });
});

describe('updates', () => {
  it('add what is new, change what has changed, and begin anew with another run', () => {
    const update = (changes: Partial<RunUpdate>): RunUpdate => ({
      ...{ revision: 1, whole: false, nowMs: noon, run: run(), samples: [], events: [], ...changes },
    });
    const first = applyUpdate(undefined, update({ whole: true, events: [paused(1, 5)], samples: [sample(0, 1)] }));
    const second = applyUpdate(first, update({ events: [paused(1, 5, 6), paused(9, 12)], samples: [sample(1, 2)] }));
    expect(second.events).toEqual([paused(1, 5, 6), paused(9, 12)]);
    expect(second.samples).toEqual([sample(0, 1), sample(1, 2)]);
    expect(applyUpdate(second, update({ run: run({ id: 2 }) }))).toMatchObject({ samples: [], events: [] });
    expect(applyUpdate(second, update({ whole: true }))).toMatchObject({ samples: [], events: [] });
  });
});
