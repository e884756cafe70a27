// A reader follows a call through the files whose code it runs: this holds their number.
import { Session } from 'node:inspector/promises';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Handler, scriptedConnector } from '../helpers/scripted-connector.js';

/** The files of src that run while `perform` does. */
async function filesOf(perform: () => Promise<unknown>): Promise<string[]> {
  const inspector = new Session();
  inspector.connect();
  onTestFinished(() => inspector.disconnect());
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true });
  await inspector.post('Profiler.takePreciseCoverage');
  await perform();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  // Functions without a name are those by which the test runner reads the exports of a module.
  const hasRun = ({ functionName, ranges: [whole] }: (typeof result)[number]['functions'][number]) =>
    functionName !== '' && whole !== undefined && whole.count > 0;
  const ran = result.filter(({ functions }) => functions.some(hasRun));
  return ran.flatMap(({ url }) => /\/src\/((?:client|contract|internal)\/.+)$/.exec(url)?.[1] ?? []).sort();
}

async function warmClient(handle: Handler) {
  const connector = await scriptedConnector({ handle });
  const client = connect(connector);
  for (let warm = 0; warm < 3; warm++) await client.get('/items');
  return client;
}

it('a successful get runs at most 26 files, and the files that decide are among them', async () => {
  const client = await warmClient(({ reply }) => reply(200, []));
  const files = await filesOf(() => client.get('/items'));
  expect(files).toEqual(expect.arrayContaining(['client/call/run.ts', 'client/http/exchange.ts']));
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(26);
});

it('a rate limit runs at most 40 files', async () => {
  let isLimited = false;
  const client = await warmClient(({ reply, limit }) => (isLimited ? limit(1) : reply(200, [])));
  client.on('pause', () => {
    isLimited = false;
  });
  isLimited = true;
  const files = await filesOf(() => client.get('/items'));
  expect(files).toEqual(expect.arrayContaining(['client/call/react.ts', 'client/rate-limit/pause.ts']));
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(40);
});
