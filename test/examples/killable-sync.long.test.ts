// The sync of examples/killable-sync in a process of its own, against two connectors over HTTP that outlive it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve, unauthorized } from 'concordat/connector';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createProduct, manyItems } from '../../examples/killable-sync/products.js';

type Product = ReturnType<typeof createProduct>;
type Item = ReturnType<typeof manyItems>[number];

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Two connectors, and the items in them. `onWrite` hears of each POST once it is done, before its response is sent. */
async function twoProducts(originals = manyItems()) {
  const copies: Item[] = [];
  const listeners = new Set<(count: number) => void>();
  /** With an answer of its own, a POST is carried out only once it is told to finish. */
  const slow: { answer?: (() => Promise<Response>) | undefined; finish: (() => unknown)[] } = { finish: [] };
  let count = 0;
  const open = async (product: Product, onPost?: () => void) => {
    const fetch = async (request: Request) => {
      const isPost = request.method === 'POST' && new URL(request.url).pathname === '/items';
      if (isPost && slow.answer !== undefined) {
        const { url, method, headers } = request;
        const sent = new Request(url, { method, headers, body: await request.text() });
        slow.finish.push(() => product.fetch(sent));
        return await slow.answer();
      }
      const response = await product.fetch(request);
      if (isPost) onPost?.();
      return response;
    };
    const server = await serve({ fetch }, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));
    return server.url;
  };
  const told = () => {
    count += 1;
    for (const listener of listeners) listener(count);
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-sync-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = path.join(folder, 'state.json');
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    SOURCE: await open(createProduct(originals)),
    TARGET: await open(createProduct(copies), told),
    STATE: state,
    SETTLE_MS: '0',
  };
  return {
    slow,
    originals,
    copies,
    onWrite: (listener: (count: number) => void) => listeners.add(listener),
    state: () => JSON.parse(readFileSync(state, 'utf8')),
    launch(more: Record<string, string> = {}) {
      const program = ['--import', 'tsx', 'examples/killable-sync/main.ts'];
      const child = spawn(process.execPath, program, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
      let written = '';
      for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (written += text));
      return {
        child,
        output: () => written,
        ended: new Promise<string>((resolve) => child.once('close', () => resolve(written))),
      };
    },
  };
}

const markersOf = (copies: Item[]) => copies.map(({ marker }) => Number(marker)).sort((a, b) => a - b);
const idsOf = (originals: Item[]) => originals.map(({ id }) => Number(id)).sort((a, b) => a - b);

it.each([1, 33, 120])(
  'killed when record %i has just been written, it loses nothing and writes nothing twice',
  async (point) => {
    const { originals, copies, onWrite, launch } = await twoProducts();
    const first = launch();
    onWrite((count) => count === point && first.child.kill('SIGKILL'));
    await first.ended;
    expect(first.child.signalCode).toBe('SIGKILL');
    expect(copies.length).toBeGreaterThanOrEqual(point);
    expect(await launch().ended).toMatch(/^(?:a write may .+\n)?round 1: \d+ written, 0 to delete, 0 failed\n$/);
    expect(markersOf(copies)).toEqual(idsOf(originals));
  },
);

it.each(['is killed', 'gets a 504'])('waits for a write that still runs when the one who sent it %s', async (how) => {
  const { originals, copies, slow, launch } = await twoProducts();
  const first = launch();
  slow.answer = async () => {
    if (how === 'gets a 504') return new Response(null, { status: 504 });
    first.child.kill('SIGKILL');
    return await new Promise(() => {});
  };
  await first.ended;
  slow.answer = undefined;
  const second = launch({ SETTLE_MS: '1000000' });
  await expect.poll(second.output).toBe('a write may still be running: waiting 1000 s\n');
  for (const finish of slow.finish) await finish();
  const left = 120 - copies.length;
  expect(left).toBeLessThan(120);
  second.child.kill('SIGKILL');
  await second.ended;
  expect(await launch().ended).toContain(`: ${left} written, 0 to delete, 0 failed`);
  expect(markersOf(copies)).toEqual(idsOf(originals));
  copies.push({ ...(copies[0] as Item), id: 'another' });
  expect(await launch().ended).toContain(`1 copied twice: ${copies[0]?.marker}\n`);
});

it('copies what changed, removes what is gone, and writes nothing when nothing changed', async () => {
  const { originals, copies, launch } = await twoProducts();
  expect(await launch().ended).toBe('round 1: 120 written, 0 to delete, 0 failed\n');
  Object.assign(originals[6] as Item, { title: 'Renamed', updatedAt: new Date().toISOString() });
  originals.splice(20, 3);
  expect(await launch({ ROUNDS: '2' }).ended).toBe(
    'round 2: 1 written, 3 to delete, 0 failed\nround 3: 0 written, 0 to delete, 0 failed\n',
  );
  expect(markersOf(copies)).toEqual(idsOf(originals));
  expect(copies.find(({ marker }) => marker === '7')).toMatchObject({ title: 'Renamed' });
});

it('goes on after a record that is refused, and tries it again in the next round', async () => {
  const { originals, copies, state, launch } = await twoProducts();
  const broken = originals[4] as Item;
  broken.title = '';
  const printed = await launch().ended;
  expect(printed).toContain('400 BAD_REQUEST');
  expect(printed).toContain('round 1: 119 written, 0 to delete, 1 failed');
  expect(state().failed).toEqual(['5']);
  broken.title = 'Mended'; // its last change is long past
  expect(await launch().ended).toBe('round 2: 1 written, 0 to delete, 0 failed\n');
  expect(markersOf(copies)).toEqual(idsOf(originals));
});

it('forgets a failed record that is deleted', async () => {
  const { originals, state, launch } = await twoProducts();
  (originals[4] as Item).title = '';
  await launch().ended;
  originals.splice(4, 1);
  expect(await launch().ended).toBe('round 2: 0 written, 0 to delete, 0 failed\n');
  expect(state().failed).toEqual([]);
});

it('ends a round without deleting anything when the source refuses the login', async () => {
  const { copies, launch } = await twoProducts();
  await launch().ended;
  const refusing = await serve({ fetch: () => unauthorized('Wrong token.') }, { port: 0 });
  onTestFinished(() => refusing.close({ graceMs: 0 }));
  const { child, ended } = launch({ SOURCE: refusing.url });
  expect(await ended).toContain('no session');
  expect([child.exitCode, copies.length]).toEqual([1, 120]);
});
