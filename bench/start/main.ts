// What a process pays before its first line of work, and an author's folder for the install: `npm run bench:start`.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.js';
import { median } from '../rounds.js';
import { round } from '../table.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 7 : 31;

/** What each process imports, and what it is compared with: the libraries alone that it stands on. */
const programs: Readonly<Record<string, { imports: readonly string[]; beside?: string }>> = {
  'Node alone': { imports: [] },
  'hono and zod': { imports: ['hono', 'zod'] },
  'concordat/connector': { imports: ['concordat/connector'], beside: 'hono and zod' },
  'undici and zod': { imports: ['undici', 'zod'] },
  'concordat/client': { imports: ['concordat/client'], beside: 'undici and zod' },
  'concordat/api-keys': { imports: ['concordat/api-keys'], beside: 'hono and zod' },
};

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Installs the package as an author does. @returns the folder */
function install(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-start-'));
  run('npm', ['pack', '--silent', '--pack-destination', folder], process.cwd()); // builds it first
  const tarball = readdirSync(folder)[0] as string;
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', `./${tarball}`], folder);
  return folder;
}

/** Both in milliseconds; CPU is of all threads, and a busy machine adds little to it. */
function start(folder: string, imports: readonly string[]): { cpu: number; wall: number } {
  const lines = imports.map((name) => `await import('${name}');`);
  const program = `${lines.join('')} console.log(JSON.stringify(process.cpuUsage()));`;
  const before = performance.now();
  const { user, system } = JSON.parse(run(process.execPath, ['--input-type=module', '--eval', program], folder));
  return { cpu: (user + system) / 1000, wall: performance.now() - before };
}

/** Bytes of a folder and of all in it. */
function sizeOf(place: string): number {
  const stats = lstatSync(place);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
}

function packagesIn(modules: string): string[] {
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(path.join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}\n`);
const folder = install();
try {
  const times = new Map(Object.keys(programs).map((name) => [name, { cpu: [] as number[], wall: [] as number[] }]));
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [name, { imports }] of Object.entries(programs)) {
      const { cpu, wall } = start(folder, imports);
      if (turn === 0) continue; // files are read from the disk
      times.get(name)?.cpu.push(cpu);
      times.get(name)?.wall.push(wall);
    }
  }
  const figures = new Map([...times].map(([name, { cpu, wall }]) => [name, { cpu: median(cpu), wall: median(wall) }]));
  console.log(`| a process that imports | CPU ms | ms | beside | CPU |\n|---|---|---|---|---|`);
  for (const [name, { beside }] of Object.entries(programs)) {
    const { cpu, wall } = figures.get(name)!;
    const ratio = beside === undefined ? '' : `${(cpu / figures.get(beside)!.cpu).toFixed(2)} ×`;
    console.log(`| ${name} | ${round(cpu)} | ${round(wall)} | ${beside ?? ''} | ${ratio} |`);
  }

  const modules = path.join(folder, 'node_modules');
  const sizes = packagesIn(modules).map((name) => [name, sizeOf(path.join(modules, name)) / 1e6] as const);
  const total = sizes.reduce((sum, [, megabytes]) => sum + megabytes, 0);
  console.log(`\n| installed | MB |\n|---|---|`);
  for (const [name, megabytes] of [...sizes].sort((one, other) => other[1] - one[1])) {
    console.log(`| ${name} | ${megabytes.toFixed(1)} |`);
  }
  console.log(`| ${sizes.length} packages | ${total.toFixed(1)} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
