/**
 * Runs the tests of the msw handlers against the packed package and msw 3, in a separate folder: `npm run test:msw-3`. msw 3
 * needs Node 22; on an older version this installs a newer Node from the npm registry.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pack } from './pack.js';

const root = path.resolve(import.meta.dirname, '..');
const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};
const needsNode = Number(process.versions.node.split('.')[0]) < 22;

const folder = mkdtempSync(path.join(tmpdir(), 'concordat-msw-3-'));
const run = (program: string, ...words: string[]) => execFileSync(program, words, { cwd: folder, stdio: 'inherit' });
try {
  const { tarball } = pack(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  const packages = ['msw@^3', `vitest@${devDependencies.vitest}`, 'undici@^7', ...(needsNode ? ['node@24'] : [])];
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', tarball, ...packages);

  mkdirSync(path.join(folder, 'test'));
  copyFileSync(path.join(root, 'test/testing/msw.test.ts'), path.join(folder, 'test/msw.test.ts'));
  cpSync(path.join(root, 'test/testing/helpers'), path.join(folder, 'test/helpers'), { recursive: true });

  const node = needsNode ? path.join(folder, 'node_modules/node/bin/node') : process.execPath;
  const { version } = JSON.parse(readFileSync(path.join(folder, 'node_modules/msw/package.json'), 'utf8')) as {
    version: string;
  };
  console.log(`msw ${version} on Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`);
  run(node, 'node_modules/vitest/vitest.mjs', 'run', '--root', folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
