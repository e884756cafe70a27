import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** The machine in one line, for whoever reads the figures. */
export function describeMachine(): string {
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${cpuModel()}, ${memoryGib} GiB, Node ${process.version}, ${process.platform}`;
}

function cpuModel(): string {
  try {
    const lines = execFileSync('lscpu', { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    return /^Model name:\s*(.+)$/m.exec(lines)?.[1] ?? cpus()[0]?.model ?? 'unknown CPU';
  } catch {
    return cpus()[0]?.model ?? 'unknown CPU';
  }
}

/** How busy the machine has been over the last minute, this process included. */
export function describeLoad(): string {
  return `load average ${loadavg()[0]?.toFixed(1)}`;
}
