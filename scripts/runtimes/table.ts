import type { Age } from './project.js';

/** A JavaScript runtime that `npm run test:runtimes` tries, and the package of the npm registry that has its program. */
export interface Runtime {
  name: string;
  specifier: string;
  /** Which versions of dependencies and peers it is tried with. @default 'newest' */
  age?: Age;
  /** Whether CI runs tests on it, not only the programs that run everywhere. */
  hasTests?: boolean;
  /** Its row of the table in README.md: what is proved there. */
  supports: string;
}

const all = 'everything';
const web = 'contract, connector, conformance, client';

export const runtimes: readonly Runtime[] = [
  { name: 'Node 20.19', specifier: 'node@20.19.0', age: 'oldest', hasTests: true, supports: all },
  { name: 'Node 22', specifier: 'node@22', supports: all },
  { name: 'Node 24', specifier: 'node@24', supports: all },
  { name: 'Node 26', specifier: 'node@latest', supports: all },
  { name: 'Bun 1.4', specifier: 'bun@1', supports: web },
  { name: 'Deno 2.9', specifier: 'deno@2', supports: web },
  { name: 'Cloudflare Workers (workerd)', specifier: 'workerd@1', supports: 'contract, connector without `serve`' },
];

/** The rows of the table in README.md: runtimes with the same support share one. */
export function supportTable(): string {
  const namesOf = (supports: string) => runtimes.filter((each) => each.supports === supports).map(({ name }) => name);
  const kinds = [...new Set(runtimes.map(({ supports }) => supports))];
  const lines = kinds.map((supports) => `| ${namesOf(supports).join(', ')} | ${supports} |`);
  return ['| runtime | runs |', '|---|---|', ...lines].join('\n');
}
