import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** In an installed package there are none: scripts/runtimes.ts copies this file and the tests to one. */
const hasSources = existsSync(new URL('./src', import.meta.url));
const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const aliases = [
  { find: /^concordat$/, replacement: source('index.ts') },
  { find: /^concordat\/connector\/(express|fastify|hono|node)$/, replacement: source('connector/adapters/$1.ts') },
  { find: /^concordat\/(opentelemetry|redis|bullmq)$/, replacement: source('integrations/$1/index.ts') },
  { find: /^concordat\/([a-z-]+)$/, replacement: source('$1/index.ts') },
];

export default defineConfig({
  resolve: { alias: hasSources ? aliases : [] },
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // Those need a browser: npm run test:browser.
    exclude: [...configDefaults.exclude, '**/*.browser.test.ts'],
    // Tests make connectors without a log all the time, and many objects that live for a moment.
    execArgv: ['--disable-warning=CONCORDAT_NO_LISTENER', '--max-semi-space-size=64'],
    setupFiles: ['test/helpers/fail-on-console.ts', 'test/helpers/throw-something.ts'],
    // One process runs many files: to load the modules anew for each took half of the time. A test puts back what it changes.
    isolate: false,
    // Far beyond what a loaded machine needs: no test may depend on speed, and only one that hangs ever gets there.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // One more than there are cores, because a quarter of the time is waiting; Vitest would leave one core free.
    maxWorkers: availableParallelism() + 1,
    coverage: { provider: 'v8', include: ['src/**'] },
  },
});
