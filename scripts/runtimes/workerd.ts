import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { forEdge } from '../edge-bundle.js';
import { judge, type Place } from './fetch-runtime.js';

/** One worker of one module, on any free port, without the modules of Node. */
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01"
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`;

/** Bundles the connector as for Cloudflare Workers, serves it by workerd, and lets Node judge it over sockets. */
export async function proveWorker({ project, command: [workerd = ''] }: Place): Promise<string> {
  await build({
    entryPoints: [path.join(project, 'programs/worker.js')],
    outfile: path.join(project, 'worker.js'),
    ...forEdge,
  });
  writeFileSync(path.join(project, 'workerd.capnp'), config);
  const child = spawn(workerd, ['serve', 'workerd.capnp', '--control-fd=3'], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(child, 'close');
  try {
    // It reports each socket that listens as a line of JSON.
    const events = createInterface(child.stdio[3] as Readable);
    const [line] = await Promise.race([once(events, 'line'), ended]);
    const { port } = JSON.parse(String(line)) as { port: number };
    return await judge(`http://127.0.0.1:${port}`, project);
  } finally {
    child.kill();
    await ended;
  }
}
