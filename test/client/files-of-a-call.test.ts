// A reader follows a call through the files whose code it runs: this holds their number.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type Handler, scriptedConnector } from '../helpers/scripted-connector.js';

const source = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));

/** The fourth call of a client, measured in a process of its own: what other tests have left behind is not counted. */
const script = (url: string) => `
  import { Session } from 'node:inspector/promises';
  import { createConnectorClient } from ${JSON.stringify(source)};
  const client = createConnectorClient({ baseUrl: ${JSON.stringify(url)}, initialize: { parameters: {} } });
  for (let warm = 0; warm < 3; warm++) await client.get('/items');
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true });
  await inspector.post('Profiler.takePreciseCoverage');
  await client.get('/items');
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  // Functions without a name are those by which the loader reads the exports of a module.
  const hasRun = ({ functionName, ranges: [whole] }) => functionName !== '' && whole.count > 0;
  const ran = result.filter(({ functions }) => functions.some(hasRun)).map(({ url }) => url);
  process.stdout.write(JSON.stringify(ran), () => process.exit());`;

/** The files of src that run during a call. */
async function filesOf(handle: Handler): Promise<string[]> {
  const { url } = await scriptedConnector({ handle });
  // Not compiled to one file, as its files are counted.
  const parameters = ['--import', 'tsx', '--input-type=module', '--eval', script(url)];
  const ran = JSON.parse((await promisify(execFile)(process.execPath, parameters)).stdout) as string[];
  return ran.flatMap((file) => /\/src\/((?:client|contract|internal)\/.+)$/.exec(file)?.[1] ?? []).sort();
}

it('a successful get runs at most 25 files, and the files that decide are among them', async () => {
  const files = await filesOf(({ reply }) => reply(200, []));
  expect(files).toEqual(expect.arrayContaining(['client/call/run.ts', 'client/http/exchange.ts']));
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(25);
});

it('a rate limit runs at most 39 files', async () => {
  const files = await filesOf(({ number, reply, limit }) => (number === 4 ? limit(1) : reply(200, [])));
  expect(files).toEqual(expect.arrayContaining(['client/call/react.ts', 'client/rate-limit/pause.ts']));
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(39);
});
