// Runs a benchmark against the package as it is built now:
//
//   node --import tsx bench/run.ts api-keys --figures authenticate --keys 100000
//
// Installs the peers (bench/package-lock.json) when they are missing, and builds the package's subpath into bench/dist,
// so that neither a loader nor a stale build is measured.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const subpaths: Readonly<Record<string, string>> = { 'api-keys': 'src/api-keys/index.ts' };

const [benchmark = '', ...flags] = process.argv.slice(2);
const entry = subpaths[benchmark];
if (entry === undefined) {
  console.error(`Usage: node --import tsx bench/run.ts ${Object.keys(subpaths).join('|')} [flags]`);
  process.exit(2);
}

if (!existsSync(resolve(root, 'bench/node_modules/.package-lock.json'))) {
  console.log('bench: installing the peers: npm ci --prefix bench');
  run('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund']);
}
const outDirectory = `bench/dist/${benchmark}`;
run(process.execPath, [
  ...['node_modules/tsup/dist/cli-default.js', entry, '--no-config', '--format', 'esm', '--target', 'node20'],
  ...['--no-splitting', '--clean', '--silent', '--out-dir', outDirectory],
]);
run(process.execPath, ['--no-warnings', '--import', 'tsx', `bench/${benchmark}/main.ts`, ...flags]);

function run(command: string, parameters: readonly string[]): void {
  const { status, error } = spawnSync(command, parameters, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
