import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// The tests that need a browser: scripts/with-chromium.sh npx vitest run --config vitest.browser.config.ts
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.browser.test.ts'],
    exclude: configDefaults.exclude,
    // One browser at a time: pictures and times would suffer.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The focus moves when the browser has drawn the page, on a busy machine late.
    expect: { poll: { timeout: 10_000 } },
    // A machine under load can hold a whole browser up. What fails twice is a defect.
    retry: 1,
  },
});
