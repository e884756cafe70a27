import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';

/** The fast tests of what is mutated: the simulation and the referee would take hours. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ['test/contract/**/*.test.ts', 'test/client/**/*.test.ts'],
      exclude: [...configDefaults.exclude, '**/*-script.test.ts'],
    },
  }),
);
