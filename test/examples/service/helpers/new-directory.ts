import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Removed after the test. */
export function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-syncs-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
