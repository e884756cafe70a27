/** Imports every subpath of the package, with the optional peers that each needs. */
import { createRequire } from 'node:module';

const { exports } = createRequire(import.meta.url)('concordat/package.json') as { exports: Record<string, unknown> };
const names = Object.keys(exports).filter((subpath) => !subpath.endsWith('.json'));
for (const name of names) await import(`concordat${name.slice(1)}`);
console.log(`${names.length} subpaths`);
