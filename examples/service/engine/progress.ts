/** Hears how far a synchronization is. */
export interface SyncProgress {
  phase(name: string, total?: number): void;
  advance(count: number): void;
}

export const silent: SyncProgress = { phase() {}, advance() {} };
