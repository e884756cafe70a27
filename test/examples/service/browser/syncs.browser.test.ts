import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { WorkerReport } from '../../../../examples/service/fleet/reports.js';
import { noFacts } from '../../../../examples/service/syncs/run.js';
import {
  desktop,
  expectAccessible,
  expectToFit,
  openSignedIn,
  phone,
  takePicture,
  themes,
  useBrowser,
} from '../../../admin/ui/helpers/browser.js';
import { startCuttableProxy } from '../helpers/cuttable-proxy.js';
import { playRun } from '../helpers/sample-runs.js';
import { sampleWorker } from '../helpers/sample-worker.js';
import { connections, type SyncsHost, startSyncs } from '../helpers/syncs-host.js';

useBrowser();

const begun = { connector: 'GitHub', connections, trigger: 'schedule' } as const;

const looks = [
  ...themes.map((theme) => ({ look: theme as string, theme, size: desktop })),
  { look: 'phone', theme: 'light' as const, size: phone },
];

/** Two earlier runs, so that the list is one. */
function playEarlier(host: SyncsHost): void {
  const first = playRun(host, 40);
  first.end({ state: 'finished' });
  host.time.nowMs += 60_000;
  const second = playRun(host, 20);
  second.end({ state: 'stopped', stoppedBy: 'root' });
  host.time.nowMs += 60_000;
}

/** Every state that looks different. */
const states: readonly {
  name: string;
  path?: string;
  workers?: WorkerReport[];
  prepare(host: SyncsHost): void | Promise<void>;
  shown: string;
}[] = [
  { name: 'empty', prepare: () => {}, shown: 'No run yet' },
  {
    name: 'running',
    prepare(host) {
      playEarlier(host);
      host.control.begin(new AbortController().signal);
      playRun(host, 48);
    },
    shown: 'Open',
  },
  {
    name: 'paused',
    prepare(host) {
      playEarlier(host);
      host.control.begin(new AbortController().signal);
      playRun(host, 93);
    },
    shown: 'Rate limit reached, as the connector said.',
  },
  {
    name: 'paused-for-long',
    prepare(host) {
      host.control.begin(new AbortController().signal);
      const { id } = playRun(host, 30);
      const untilMs = host.time.nowMs + 14 * 60_000;
      host.store.addEvent(id, 'Source', host.time.nowMs, { type: 'pause', untilMs, source: 'fallback', endedMs: null });
      host.time.nowMs += 240_000;
    },
    shown: '10 min left',
  },
  {
    name: 'finished',
    prepare(host) {
      playEarlier(host);
      playRun(host, 93).end({ state: 'finished' });
    },
    shown: 'Both ends are equal: 520 issues compared, 520 written.',
  },
  {
    name: 'failed',
    prepare(host) {
      playEarlier(host);
      playRun(host, 26).end({
        state: 'failed',
        error: 'GET /issues: 404 Not Found: There is no repository acme/nowhere.',
      });
    },
    shown: 'There is no repository acme/nowhere.',
  },
  {
    name: 'interrupted',
    prepare(host) {
      playEarlier(host);
      return host.interrupted((killed) => playRun(killed, 53));
    },
    shown: 'The service ended in the middle.',
  },
  {
    name: 'workers',
    workers: [sampleWorker(0), { ...sampleWorker(Date.now() + 3_600_000), id: 'two', jobs: 0 }],
    prepare: (host) => void playRun(host, 12),
    shown: 'machine-7, process 4711',
  },
  {
    name: 'one-run',
    path: '/syncs/runs/1',
    prepare: playEarlier,
    shown: 'Both ends are equal',
  },
];

async function open(host: SyncsHost, options: Parameters<typeof openSignedIn>[2] = {}, path = '/syncs'): Promise<Page> {
  const page = await openSignedIn(host, 'root', options);
  await page.goto(path);
  return page;
}

describe.each(looks)('$look', ({ look, theme, size }) => {
  it.each(states)('$name has no violation of axe-core and fits', async ({ name, path, workers, prepare, shown }) => {
    const host = await startSyncs(workers && { workers: () => workers });
    await prepare(host);
    const page = await open(host, { theme, size }, path);
    await page.getByRole('main').getByText(shown).first().waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await takePicture(page, `syncs-${name}-${look}`);
  });

  it('the picture in words has no violation of axe-core and fits', async () => {
    const host = await startSyncs();
    playRun(host, 93).end({ state: 'finished' });
    const page = await open(host, { theme, size });
    await page.getByText('In words').click();
    await page.getByRole('cell', { name: 'Quota learned: 240 requests in 20 s.' }).waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await takePicture(page, `syncs-in-words-${look}`);
  });
});

describe('while somebody watches', () => {
  it('figures, lanes and words follow the run without the page being loaded again', async () => {
    const host = await startSyncs();
    const run = playRun(host, 8);
    const page = await open(host);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await expect
      .poll(() => page.locator('[data-tile="written"]').textContent())
      .toBe(String(host.store.get(run.id)?.written));
    const bars = () => page.locator('[data-lane="Target"] rect.bar').count();
    await expect.poll(bars).toBe(8);
    run.play(4);
    await expect.poll(bars).toBe(12);
    await page.getByText('Rate limit reached, as the connector said.').waitFor();
    expect(await page.locator('[data-lane="Target"] .pause-ahead').count()).toBe(1);
    expect(await page.locator('[data-lane="Target"] [data-lane-state]').textContent()).toMatch(/^Paused · \d s left$/);
    run.play(12);
    await page.locator('[data-lane="Target"] [data-lane-state]').getByText('Open').waitFor();
    expect(await page.locator('[data-lane="Target"] .pause-ahead').count()).toBe(0);
    run.end({ state: 'finished' });
    await page.getByText('Both ends are equal: 520 issues compared, 520 written.').first().waitFor();
    await expect.poll(() => page.locator('[data-picture] ~ *, h2 ~ .status').first().textContent()).toBe('Finished');
    const next = host.store.begin(begun);
    await page.getByRole('heading', { name: `Run ${next.id}` }).waitFor();
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  it('the workers are those of now, also while no run begins or ends', async () => {
    const workers = [sampleWorker(0)];
    const host = await startSyncs({ workers: () => workers });
    playRun(host, 2);
    const page = await open(host);
    const rows = page.locator('[data-live="workers"] tbody tr');
    expect(await rows.count()).toBe(1);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    workers.push({ ...sampleWorker(0), id: 'two' });
    await expect.poll(() => rows.count()).toBe(2);
    workers.splice(0);
    await page.getByText('None is running').waitFor();
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  it('the wait is counted down, second by second, without anything from the server', async () => {
    const host = await startSyncs();
    const run = playRun(host, 12);
    const page = await open(host);
    const left = async () =>
      Number(/(\d+) s left/.exec((await page.locator('[data-lane-state]').nth(1).textContent()) ?? '')?.[1]);
    await expect.poll(left).toBeGreaterThan(5);
    const before = await left();
    await expect.poll(left).toBe(before - 2);
    expect(host.store.get(run.id)?.lastSeenMs).toBe(host.time.nowMs);
  });

  it('the state is read out: when the page was opened it was there, from then on what changes', async () => {
    const host = await startSyncs();
    const run = playRun(host, 2);
    const page = await open(host);
    const status = page.locator('[role="status"][data-announcement]');
    await page.locator('.now-dot').first().waitFor();
    expect(await status.textContent()).toBe('');
    run.end({ state: 'failed', error: 'Not Found' });
    await page.locator('[data-picture][data-state="failed"]').waitFor(); // the page has been made anew for that
    expect(await status.textContent()).toContain('Run 1 failed. Not Found');
  });

  it('so is the end of a run that came before the stream of the page', async () => {
    const host = await startSyncs();
    const run = playRun(host, 2);
    const page = await openSignedIn(host, 'root');
    let letStreamIn = () => {};
    const mayStream = new Promise<void>((resolve) => {
      letStreamIn = resolve;
    });
    await page.route('**/syncs/events*', (route) => mayStream.then(() => route.continue()));
    await page.goto('/syncs');
    await page.locator('[data-picture][data-state="running"]').waitFor();
    run.end({ state: 'failed', error: 'Not Found' });
    letStreamIn();
    await page.locator('[data-picture][data-state="failed"]').waitFor();
    expect(await page.locator('[data-announcement]').textContent()).toContain('Run 1 failed. Not Found');
  });

  it('a connection that is lost is said, and comes back with what was missed', async () => {
    const host = await startSyncs();
    const run = playRun(host, 4);
    const network = await startCuttableProxy(host.url);
    const page = await open({ ...host, url: network.url });
    await page.locator('.now-dot').first().waitFor();
    network.cut();
    await page.getByText('The connection is lost. Trying again …').waitFor();
    run.play(4);
    network.mend();
    await expect.poll(() => page.locator('[data-lane="Target"] rect.bar').count()).toBe(8);
    expect(await page.getByText('The connection is lost.').isVisible()).toBe(false);
  });

  it('a sign-in that ends is said, with the way back', async () => {
    const host = await startSyncs();
    playRun(host, 4);
    const page = await open(host);
    await page.locator('.now-dot').first().waitFor();
    host.clock.jumpCalendar(8 * 3_600_000);
    await page.getByText('Your sign-in has ended, so this page stands still.').waitFor();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL('**/sign-in?next=%2Fsyncs');
  });

  it('the last two minutes and the whole of a long run can both be seen', async () => {
    const host = await startSyncs();
    playRun(host, 200);
    const page = await open(host);
    await page.getByRole('link', { name: 'Whole run' }).click();
    await page.waitForURL('**/syncs?span=whole');
    await page.locator('[data-lane="Source"] .time-label').first().getByText('0:00').waitFor();
    await page.getByRole('link', { name: 'Last 2 minutes' }).click();
    await page.waitForURL('**/syncs');
    await expect.poll(() => page.locator('[data-lane="Source"] .time-label').first().textContent()).not.toBe('0:00');
  });
});

describe('starting and stopping', () => {
  it('works by keyboard, and the button stays where the hand is', async () => {
    const host = await startSyncs();
    const stop = host.control.begin(new AbortController().signal);
    const run = playRun(host, 5);
    const page = await open(host);
    await page.getByRole('button', { name: 'Stop the run' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('You have stopped the run.').waitFor();
    expect(stop.aborted).toBe(true);
    await page.getByRole('button', { name: 'Stop the run' }).focus();
    host.control.ended();
    run.end({ state: 'stopped', stoppedBy: 'root' });
    const resume = page.getByRole('button', { name: 'Resume now' });
    await resume.waitFor();
    expect(await resume.evaluate((button) => button === document.activeElement)).toBe(true);
    const next = host.control.next(600_000, new AbortController().signal);
    await page.keyboard.press('Enter');
    await page.getByText('You have started a run.').waitFor();
    expect(await next).toEqual({ trigger: 'user', startedBy: 'root' });
  });

  it('reaches everything with Tab, what is scrolled included', async () => {
    const host = await startSyncs();
    playRun(host, 60).end({ state: 'finished' });
    const page = await open(host);
    await page.getByText('In words').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const region = page.getByRole('region', { name: 'What happened' });
    expect(await region.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => region.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('All');
  });
});

describe('without script', () => {
  it('shows the run as it is, loads itself again, and stops doing so when asked to', async () => {
    const host = await startSyncs();
    const run = playRun(host, 12);
    const page = await open(host, { script: false });
    await page.getByText('Rate limit reached, as the connector said.').waitFor();
    await expectToFit(page);
    await takePicture(page, 'syncs-without-script-light');
    await page.getByRole('link', { name: 'Stop refreshing' }).click();
    run.play(1);
    await page.getByRole('link', { name: 'Refresh', exact: true }).click();
    expect(page.url()).toContain('refresh=off');
    expect(await page.locator('[data-tile="duration"]').textContent()).toBe('13 s');
    await page.getByRole('link', { name: 'Refresh by itself' }).waitFor();
  });
});

describe('motion', () => {
  it.each([
    ['reduce', 'none'],
    ['no-preference', 'pulse'],
  ] as const)('with %s, the mark of the present moment has the animation %s', async (reducedMotion, animation) => {
    const host = await startSyncs();
    host.store.progress(host.store.begin(begun).id, { ...noFacts, connections: [] }, []);
    playRun(host, 3);
    const page = await open(host);
    await page.emulateMedia({ reducedMotion });
    const dot = page.locator('.now-dot').first();
    expect(await dot.evaluate((element) => getComputedStyle(element).animationName)).toBe(animation);
  });
});
