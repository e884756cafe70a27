import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How long each file took at most: in a run that a failure ends, files take no time at all. */
const longest = new Map<string, number>();

/** A run ends at the first failure: so first the files that failed last time, and then the quick ones. */
export default class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = files.map((file) => {
      const key = `${file.project.name}:${relative(this.ctx.config.root, file.moduleId)}`;
      const earlier = this.ctx.cache.getFileTestResults(key);
      longest.set(key, Math.max(longest.get(key) ?? 0, earlier?.duration ?? 0));
      return { file, cost: earlier?.failed ? -1 : longest.get(key)! };
    });
    return costs.sort((one, other) => one.cost - other.cost).map(({ file }) => file);
  }
}
