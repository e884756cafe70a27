import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `npm start` runs. */
export const serviceArguments = ['--import', 'tsx', 'examples/service/main.ts'];

const settings = [
  ...['SOURCE_REPO', 'TARGET_REPO', 'GITHUB_TOKEN', 'GITHUB_API_URL'],
  ...['REDIS_URL', 'CONNECTOR_URL', 'SESSION_KEY', 'HEALTH_PORT', 'LOCK_MS', 'CONCURRENCY'],
  ...['HOST', 'PORT', 'DATABASE_URL', 'CONCORDAT_DATA'],
  ...['CONCORDAT_ADMIN_PASSWORD', 'CONCORDAT_MANAGER_PASSWORD', 'CONCORDAT_USER_PASSWORD'],
];

/** This process's environment without the service's settings, and with the given ones. */
export function serviceEnvironment(own: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !settings.includes(name));
  return { ...Object.fromEntries(inherited), ...own };
}

/** A path for a data directory that does not exist yet, removed after the test. */
export function newDataDirectory(): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'concordat-service-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return path.join(parent, 'data');
}
