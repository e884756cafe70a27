import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const bytes = 512 * 1024 * 1024;

/** A folder on a disk of its own, where this process may mount one, so that it can be full. */
export class Disk {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'concordat-soak-'));
  /** Why it cannot be full. */
  readonly problem: string | undefined;

  constructor() {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.folder], { stdio: 'pipe' });
    } catch (error) {
      this.problem = `mounting a small disk takes root: ${(error as Error).message.trim()}`;
    }
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  /** Not a byte more can be written. */
  async fill(): Promise<void> {
    const filler = await open(this.file('filler'), 'w');
    const block = Buffer.alloc(4 * 1024 * 1024);
    try {
      for (;;) await filler.write(block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await filler.close();
    }
  }

  free(): void {
    rmSync(this.file('filler'), { force: true });
  }

  remove(): void {
    if (this.problem === undefined) execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
