import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startHost } from '../../examples/host/main.js';

/** The example host with an empty folder of its own, until the test ends. */
export async function startEmptyHost() {
  const directory = await mkdtemp(path.join(tmpdir(), 'concordat-host-'));
  const host = await startHost({ port: 0, directory });
  onTestFinished(async () => {
    await host.close();
    await rm(directory, { recursive: true });
  });
  return host;
}
