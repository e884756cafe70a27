import { openEnd } from './engine/end.js';
import { synchronize } from './engine/engine.js';
import type { GitHubOptions, ServiceOptions } from './options.js';
import type { Connections, Engine } from './run-sync.js';

export type Fleet = import('./fleet/fleet.js').Fleet;
export type Closers = (() => void | Promise<void>)[];

interface EngineSettings {
  options: ServiceOptions;
  connectorUrl: string;
  github: GitHubOptions;
  /** The end of the service. */
  signal: AbortSignal;
  closers: Closers;
  line(text: string): void;
}

/** The engine of this process, or with Redis the one of all workers. */
export async function startEngine(settings: EngineSettings): Promise<Connections & { engine: Engine; fleet?: Fleet }> {
  const { options, connectorUrl, github, signal, closers, line } = settings;
  if (options.redisUrl !== undefined) {
    // Loaded here, so that one process needs neither Redis nor its packages.
    const { Fleet } = await import('./fleet/fleet.js');
    const fleet = await Fleet.open(options.redisUrl, (error) => line(`Redis: ${error.message}`), signal);
    closers.push(() => fleet.close());
    const pair = { connectorUrl, apiUrl: github.apiUrl, source: github.source, target: github.target };
    return {
      source: { client: fleet.source, repository: github.source },
      target: { client: fleet.target, repository: github.target },
      engine: (tally, { progress, stop }) => fleet.synchronize(pair, tally, { progress, stop, service: signal }),
      fleet,
    };
  }
  const open = (repository: string) => {
    const end = openEnd({ connectorUrl, apiUrl: github.apiUrl, token: github.token, repository, cleanup: {} });
    closers.push(() => end.client.close());
    return end;
  };
  const ends = { source: open(github.source), target: open(github.target) };
  return {
    ...ends,
    engine: (tally, { progress, stop }) =>
      synchronize(ends, tally, {
        ...{ concurrency: options.concurrency, signal: stop, progress },
        done(outcome) {
          tally.add(outcome);
          progress.advance(1);
        },
      }),
  };
}
