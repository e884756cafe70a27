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
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A machine under load can hold a whole browser up. What fails twice is a defect.
    retry: 1,
  },
});
