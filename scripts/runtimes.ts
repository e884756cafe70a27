/**
 * Proves that the packed package works on every runtime that README.md names, with the oldest and with the newest versions
 * of its dependencies and peers: `npm run test:runtimes`. The runtimes are installed from the npm registry, into a temporary
 * folder; one that cannot be had is skipped, aloud.
 *
 *     npm run test:runtimes                # as in CI: tests on the oldest Node only
 *     npm run test:runtimes -- --all       # every test on every Node, those of the sources included
 *     npm run test:runtimes -- bun deno    # some runtimes
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { pack } from './pack.js';
import { type Place, proveClient, proveConformance, proveConnector } from './runtimes/fetch-runtime.js';
import { installRuntime } from './runtimes/install.js';
import { runAllTests, runTests } from './runtimes/node.js';
import { run } from './runtimes/process.js';
import { makeProject, type Project } from './runtimes/project.js';
import { type Runtime, runtimes } from './runtimes/table.js';
import { proveWorker } from './runtimes/workerd.js';

const command = new Command('npm run test:runtimes --')
  .description('Proves that the packed package works on every supported runtime.')
  .argument('[runtimes...]', 'beginnings of names, such as `bun` or `node 2`', [])
  .option('--all', 'runs every test on every Node, not a selection')
  .parse();
const chosen = command.args.map((name) => name.toLowerCase());
const tried = runtimes.filter(
  ({ name }) => chosen.length === 0 || chosen.some((start) => name.toLowerCase().startsWith(start)),
);
if (tried.length === 0) command.error(`There is none of that name: ${runtimes.map(({ name }) => name).join(', ')}.`);
const { all } = command.opts<{ all?: boolean }>();

const folder = mkdtempSync(path.join(tmpdir(), 'concordat-runtimes-'));
const projects = new Map<string, Project>();

type Proofs = Record<string, () => Promise<string>>;

/** What is run on a runtime. Each returns a line about what it has proved. */
function proofsOf({ specifier, age = 'newest', hasTests }: Runtime, program: string, tarball: string): Proofs {
  if (!projects.has(age)) projects.set(age, makeProject(path.join(folder, age), tarball, age));
  const project = projects.get(age) as Project;
  const [name] = specifier.split('@');
  const place: Place = {
    project: project.folder,
    command: name === 'deno' ? [program, 'run', '--allow-all'] : [program],
    servers: name === 'node' ? ['serve'] : ['own', 'serve'],
  };
  if (name === 'workerd') return { connector: () => proveWorker(place) };
  const programs = {
    connector: () => proveConnector(place),
    client: () => proveClient(place),
    conformance: () => proveConformance(place),
  };
  if (name !== 'node') return programs;
  const onNode = { ...programs, subpaths: () => run([program, 'programs/subpaths.js'], project.folder) };
  if (all) return { ...onNode, tests: () => runTests(program, project, all), sources: () => runAllTests(program) };
  return hasTests ? { ...onNode, tests: () => runTests(program, project) } : onNode;
}

let failed = 0;
let passed = 0;
let skipped = 0;
try {
  const { tarball } = pack(folder);
  for (const runtime of tried) {
    const program = installRuntime(path.join(folder, runtime.specifier.replace('@', '-')), runtime.specifier);
    if (program === undefined) {
      skipped++;
      continue;
    }
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0];
    console.log(`${runtime.name}: ${version}`);
    for (const [what, prove] of Object.entries(proofsOf(runtime, program, tarball))) {
      const startedAt = performance.now();
      const outcome = await prove().catch((error: Error) => error);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const isProved = typeof outcome === 'string';
      console.log(
        `  ${isProved ? 'passed' : 'FAILED'}: ${what}, ${seconds} s: ${isProved ? outcome : outcome.message}`,
      );
      if (isProved) passed++;
      else failed++;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || passed + skipped === 0) process.exitCode = 1;
