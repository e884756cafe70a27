import path from 'node:path';
import { run } from './process.js';
import type { Project } from './project.js';

/** What differs between versions of Node and of dependencies: sockets, streams, msw, SQLite. */
const selection = ['contract', 'connector', 'client', 'testing', 'api-keys'];

const repository = path.resolve(import.meta.dirname, '../..');

/** Runs the tests of the packed package with a program of Node. @returns which versions they met, and how many passed. */
export async function runTests(node: string, project: Project, all = false): Promise<string> {
  const filters = all ? [] : selection.map((folder) => `test/${folder}/`);
  return `${await runVitest(node, project.folder, filters)}, with ${project.versions}`;
}

/** Runs the whole suite against the sources. */
export function runAllTests(node: string): Promise<string> {
  return runVitest(node, repository, []);
}

async function runVitest(node: string, folder: string, filters: string[]): Promise<string> {
  const vitest = path.join(folder, 'node_modules/vitest/vitest.mjs');
  const printed = await run([node, vitest, 'run', '--reporter=dot', ...filters], folder, {
    // Tests start programs by name, too.
    PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
    NO_COLOR: '1',
  });
  const [count = ''] = /^ *Tests +.*$/m.exec(printed) ?? [];
  if (!/\d passed/.test(count)) throw new Error(`no test was run:\n${printed}`);
  return count.replace(/^ *Tests +/, '').trim();
}
