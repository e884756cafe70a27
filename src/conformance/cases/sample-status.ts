import type { CaseDefinition } from '../case.js';
import { lacksSample, type SampleName, takeSample } from '../probing/samples.js';

/** For a case that only looks at the status of a sample. */
export function sampleStatus(
  name: SampleName,
  accepts: (status: number) => boolean,
  expected: string,
): Pick<CaseDefinition, 'lacks' | 'check'> {
  return {
    lacks: (prober) => lacksSample(prober, name),
    check: async (judge) => judge.status(await takeSample(judge.prober, name), accepts, expected),
  };
}
