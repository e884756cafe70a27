import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Limits are waited for: some tests take seconds.
  test: { include: ['test/**/*.test.ts'], testTimeout: 30_000 },
});
