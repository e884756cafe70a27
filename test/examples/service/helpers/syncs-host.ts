import path from 'node:path';
import { onTestFinished } from 'vitest';
import { SyncControl } from '../../../../examples/service/syncs/control.js';
import { syncsSection } from '../../../../examples/service/syncs/section.js';
import { RunStore } from '../../../../examples/service/syncs/store/run-store.js';
import { type Administration, startAdministration } from '../../../admin/ui/helpers/administration.js';
import { newDirectory } from './new-directory.js';

export interface SyncsHost extends Administration {
  readonly store: RunStore;
  readonly control: SyncControl;
  /** The time of the runs; that of sign-ins is `clock`. */
  readonly time: { nowMs: number };
  /** Where the runs are, to open it once more. */
  readonly file: string;
  /** Plays a run of a process that is killed: nobody ends it. */
  interrupted(play: (host: SyncsHost) => void): Promise<void>;
}

export const connections = [
  { name: 'Source', repository: 'acme/support' },
  { name: 'Target', repository: 'acme/support-mirror' },
] as const;

/** 2026-11-21T12:00Z */
export const noon = Date.UTC(2026, 10, 21, 12);

/** An administration with the page Syncs, on a file of its own, with a time that only the test moves. */
export async function startSyncs({
  heartbeatMs = 10_000,
  pollMs = 20,
  workers,
}: Partial<Parameters<typeof syncsSection>[0]> = {}): Promise<SyncsHost> {
  const file = path.join(newDirectory(), 'syncs.db');
  const time = { nowMs: noon };
  const store = await RunStore.open(file, { now: () => time.nowMs });
  const control = new SyncControl();
  const syncs = syncsSection({ store, control, pollMs, heartbeatMs, ...(workers && { workers }) });
  onTestFinished(() => store.close());
  const host = await startAdministration({ admin: { sections: [syncs.section] } });
  onTestFinished(() => syncs.close());
  const syncsHost: SyncsHost = Object.assign(host, {
    ...{ store, control, time, file },
    async interrupted(play: (host: SyncsHost) => void) {
      const owner = { id: 'killed', host: 'another-machine', pid: 1 };
      const killed = await RunStore.open(file, { now: () => time.nowMs, owner });
      play({ ...syncsHost, store: killed });
      killed.close();
      time.nowMs += 20_000;
    },
  });
  return syncsHost;
}
