// Runs a benchmark against the package as it is now:
//
//   node --import tsx bench/run.ts client --quick
//   node --import tsx bench/run.ts api-keys --figures authenticate --keys 100000
//   node --import tsx bench/run.ts soak --minutes 2
//
// Installs the peers (bench/package-lock.json) when they are missing or others than it says, and builds what is measured
// into bench/dist, so that neither a loader nor a stale build is in the figures.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const benchmarks = [
  'client',
  'stream',
  'sync',
  'fleet',
  'processes',
  'bullmq',
  'connector',
  'api-keys',
  'readers',
  'start',
];
/** Those that look at the package alone. */
const withoutPeers = ['fleet', 'processes', 'readers', 'start', 'soak'];

const [name = '', ...flags] = process.argv.slice(2);
const chosen = name === 'all' ? benchmarks : [...benchmarks, 'soak'].filter((benchmark) => benchmark === name);
if (chosen.length === 0) {
  console.error(`Usage: node --import tsx bench/run.ts ${[...benchmarks, 'soak', 'all'].join('|')} [--quick] [flags]`);
  process.exit(2);
}

if (!chosen.every((benchmark) => withoutPeers.includes(benchmark))) installPeers();
for (const benchmark of chosen) {
  if (chosen.length > 1) console.log(`\n=== ${benchmark} ===`);
  if (benchmark === 'api-keys') benchApiKeys();
  else await benchBundled(benchmark);
}

function installPeers(): void {
  const installed = readLock('bench/node_modules/.package-lock.json');
  const missing = Object.entries(readLock('bench/package-lock.json')).some(
    ([place, { version, optional }]) => place !== '' && !optional && installed[place]?.version !== version,
  );
  if (!missing) return;
  console.log('bench: installing the peers: npm ci --prefix bench');
  run('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund']);
}

function readLock(file: string): Record<string, { version?: string; optional?: boolean }> {
  const place = resolve(root, file);
  return existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')).packages : {};
}

/** Bundles every program of the benchmark with the package's source in it, and runs its `main`. */
async function benchBundled(benchmark: string): Promise<void> {
  const outdir = resolve(root, 'bench/dist', benchmark);
  rmSync(outdir, { recursive: true, force: true });
  const programs = readdirSync(resolve(root, 'bench', benchmark)).filter((file) => file.endsWith('.ts'));
  await build({
    entryPoints: programs.map((file) => resolve(root, 'bench', benchmark, file)),
    outdir,
    tsconfig: resolve(root, 'tsconfig.json'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
  });
  run(process.execPath, ['--no-warnings', '--expose-gc', resolve(outdir, 'main.js'), ...flags]);
}

function benchApiKeys(): void {
  run(process.execPath, [
    ...['node_modules/tsup/dist/cli-default.js', 'src/api-keys/index.ts', '--no-config', '--format', 'esm'],
    ...['--target', 'node20', '--no-splitting', '--clean', '--silent', '--out-dir', 'bench/dist/api-keys'],
  ]);
  const ownFlags = flags.flatMap((flag) => (flag === '--quick' ? ['--keys', '20000'] : [flag]));
  run(process.execPath, ['--no-warnings', '--import', 'tsx', 'bench/api-keys/main.ts', ...ownFlags]);
}

function run(command: string, parameters: readonly string[]): void {
  const { status, error } = spawnSync(command, parameters, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
