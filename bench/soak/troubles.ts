import { setTimeout as pause } from 'node:timers/promises';
import { Clients } from '../../scripts/hostile/traffic.js';
import { type Callers, inDays } from './callers.js';
import type { Disk } from './disk.js';
import type { Part } from './part.js';

export interface Trouble {
  readonly name: string;
  /** Makes it, and ends it. */
  run(): Promise<void>;
}

/** What the loop and its troubles consist of. Those that end in 1 live from the beginning to the end, so that a leak shows. */
export interface Loop {
  readonly endSystem: Part;
  readonly connectors: readonly [Part, Part];
  readonly services: readonly [Part, Part];
  readonly administrations: readonly [Part, Part];
  readonly callers: Callers;
  readonly disk: Disk;
}

const hourMs = 3_600_000;

/** In the order in which they take turns; a kill is every other one. */
export function troublesOf(loop: Loop): Trouble[] {
  const { endSystem, connectors, services, administrations, disk } = loop;
  const kill = (part: Part): Trouble => ({ name: `kill ${part.name}`, run: () => part.kill() });
  const wires = [endSystem, ...connectors, ...administrations].map(({ wire }) => wire);
  return [
    kill(endSystem),
    {
      name: 'connections are reset',
      async run() {
        for (let times = 0; times < 5; times++, await pause(100)) for (const wire of wires) wire.cut();
      },
    },
    kill(connectors[1]),
    { name: 'rate limit', run: () => endSystem.call('refuse', 1000) },
    kill(services[1]),
    {
      name: 'slow peers',
      async run() {
        for (const wire of wires) wire.delayMs = 150;
        const strangers = new Clients(connectors[0].wire.url);
        await strangers.many(20, (socket) => socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-half: '));
        await pause(1000);
        // Longer than any part waits.
        for (const wire of wires) wire.delayMs = 5000;
        await pause(200);
        for (const wire of wires) wire.delayMs = 0;
        strangers.close();
      },
    },
    kill(administrations[1]),
    {
      name: 'full disk',
      async run() {
        if (disk.problem !== undefined) return;
        try {
          await disk.fill();
          await pause(1500);
        } finally {
          disk.free();
        }
      },
    },
    { name: 'clock steps', run: () => stepClocks(loop) },
  ];
}

/** Two hours on, back and behind: a key that has expired stays so, a wait does not change. */
async function stepClocks({ services, administrations, callers }: Loop): Promise<void> {
  const parts = [...services, ...administrations];
  const step = (ms: number) => Promise.all(parts.map((part) => part.call('step', ms)));
  const [here, there] = administrations.map(({ wire }) => wire.url) as [string, string];
  const name = `Short ${Date.now()}`;
  const { body } = await callers.manage(here, 'POST', '/api-keys', { name, expiresOn: inDays(1 / 24) });
  try {
    if (body.key !== undefined) await callers.use(there, body.key, 200, 'a key of one hour');
    await step(2 * hourMs);
    if (body.key !== undefined) await callers.use(here, body.key, 401, 'a key of one hour, two hours later');
    await step(-2 * hourMs);
    if (body.key !== undefined) await callers.use(there, body.key, 401, 'an expired key after the clocks went back');
  } finally {
    await step(0);
  }
}
