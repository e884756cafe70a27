/** What scripts/mutation.ts asks for. */
const { room, mutate, statics, sample, concurrency } = JSON.parse(process.env.CONCORDAT_MUTATION ?? '{}');

export default {
  mutate,
  plugins: [
    './tools/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js',
    './tools/mutation/sample.mjs',
    './tools/mutation/survivors.mjs',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: !statics,
  checkers: sample < 1 ? ['sample'] : [],
  concurrency,
  // A mutant that hangs is noticed after this long, plus one and a half times as long as its tests usually take.
  timeoutMS: 10_000,
  tempDirName: 'node_modules/.stryker',
  reporters: ['clear-text', 'progress-append-only', 'survivors', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false, reportMutants: true },
  jsonReporter: { fileName: `node_modules/.stryker-${room}.json` },
  allowEmpty: true,
  ignorePatterns: ['bench/node_modules', 'dist', 'tools/node_modules', 'tools/mutation/node_modules'],
};
