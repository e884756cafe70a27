import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const { sample, seed } = JSON.parse(process.env.CONCORDAT_MUTATION ?? '{}');

/** A number from 0 to 1 that only depends on the seed and the mutant, not on the others or on their order. */
function draw({ fileName, location: { start, end }, mutatorName, replacement }) {
  const file = relative(process.cwd(), fileName);
  const text = JSON.stringify([seed, file, start.line, start.column, end.line, end.column, mutatorName, replacement]);
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

/** Of the mutants that tests reach, tries only a sample. Stryker counts the others as errors, which no score contains. */
const checker = {
  init: async () => {},
  group: async (mutants) => [mutants.map(({ id }) => id)],
  check: async (mutants) =>
    Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        draw(mutant) < sample ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' },
      ]),
    ),
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Checker, 'sample', checker)];
