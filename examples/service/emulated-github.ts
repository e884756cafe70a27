import { once } from 'node:events';
import { Server } from 'node:http';
import { createServer } from 'node:net';
import { createEmulator } from 'emulate';
import type { GitHubOptions } from './options.js';
import { seedIssues } from './seed-issues.js';

export interface EmulatedGitHub extends GitHubOptions {
  close(): Promise<void>;
}

/** Any would do. */
export const emulatedToken = 'emulated-token';

const owner = 'acme';
const source = 'support';
const target = 'support-mirror';

/** Starts the GitHub API of `emulate` on 127.0.0.1: one repository with issues, and an empty one. */
export async function startEmulatedGitHub(issues: number, givenPort?: number): Promise<EmulatedGitHub> {
  const port = givenPort ?? (await findFreePort());
  const apiUrl = `http://127.0.0.1:${port}`;
  const { result: emulator, server } = await listeningOnLoopback(port, () =>
    createEmulator({
      service: 'github',
      port,
      baseUrl: apiUrl,
      seed: {
        github: {
          users: [{ login: owner }],
          repos: [source, target].map((name) => ({ owner, name, auto_init: false })),
        },
      },
    }),
  );
  await seedIssues({ apiUrl, repository: `${owner}/${source}`, count: issues });
  return {
    apiUrl,
    token: emulatedToken,
    source: `${owner}/${source}`,
    target: `${owner}/${target}`,
    async close() {
      server.closeAllConnections();
      await emulator.close();
    },
  };
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/**
 * `emulate` binds all interfaces and has no option for it, and a GitHub that takes any token has no business on the
 * network. So while it starts, a server that listens on this port without naming a host gets 127.0.0.1.
 */
async function listeningOnLoopback<Result>(
  port: number,
  start: () => Promise<Result>,
): Promise<{ result: Result; server: Server }> {
  const { listen } = Server.prototype;
  const own = Object.getOwnPropertyDescriptor(Server.prototype, 'listen');
  let server: Server | undefined;
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    const isEmulator = args[0] === port && args[1] === undefined;
    if (isEmulator) server = this;
    return Reflect.apply(listen, this, isEmulator ? [port, '127.0.0.1'] : args);
  } as typeof listen;
  try {
    const result = await start();
    if (server === undefined) throw new Error('The emulator did not listen as expected.');
    if (!server.listening) await once(server, 'listening');
    // On a busy machine, a connection would be closed as idle in the moment in which it is used again.
    server.keepAliveTimeout = 0;
    return { result, server };
  } finally {
    Reflect.deleteProperty(Server.prototype, 'listen');
    if (own !== undefined) Object.defineProperty(Server.prototype, 'listen', own);
  }
}
