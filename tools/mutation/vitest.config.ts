import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import QuickFirst from './quick-first.js';

/** What scripts/mutation.ts asks for. */
const { tests, except } = JSON.parse(process.env.CONCORDAT_MUTATION ?? '{}');

export default mergeConfig(
  // Stryker runs tests in threads, which take no options for their memory.
  {
    ...base,
    test: { ...base.test, include: [], execArgv: base.test?.execArgv?.filter((flag) => !flag.startsWith('--max-')) },
  },
  defineConfig({
    test: {
      // Stryker switches mutants through a variable that a module which stays loaded no longer sees.
      isolate: true,
      sequence: { sequencer: QuickFirst },
      include: tests,
      exclude: [...configDefaults.exclude, '**/*.{long,browser}.test.ts', ...except],
      // A mutant that hangs need not hang for a minute; on a busy machine, a test under coverage takes ten seconds.
      testTimeout: 10_000,
      hookTimeout: 10_000,
      expect: { poll: { timeout: 5_000 } },
    },
  }),
);
