import { runFleet } from './run-fleet.js';

const [kind = 'fixed', limit = '100', windowMs = '60000', whole = '0', rival = '0', windows = '20'] =
  process.argv.slice(2);
const rows: unknown[] = [];
for (const sharing of (process.env.S?.split(',') ?? ['none', 'pause', 'quota']) as ('none' | 'pause' | 'quota')[])
  for (const workers of (process.env.W ?? '1,4,16,256').split(',').map(Number)) {
    const at = performance.now();
    const f = await runFleet({
      workers,
      callers: Number(process.env.C ?? (workers > 100 ? 2 : 50)),
      sharing,
      windows: Number(windows),
      seed: Number(process.env.SEED ?? 1),
      real: process.env.REAL === '1',
      model: {
        kind: kind as never,
        limit: Number(limit),
        windowMs: Number(windowMs),
        wholeSeconds: whole === '1',
        rival: Number(rival),
      },
    });
    rows.push({
      sharing,
      workers,
      ...Object.fromEntries(Object.entries(f).map(([k, v = 0]) => [k, Math.round(v * 1000) / 1000])),
      budget: 0.2 + workers / Number(limit),
      s: Math.round(performance.now() - at) / 1000,
    });
  }
console.table(rows);
