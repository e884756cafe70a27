/**
 * Packs the package, installs the tarball in an empty folder without any optional peer, and loads every subpath there with
 * import, with require, and in TypeScript. Also runs publint and attw.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkLicenses } from './check-licenses.js';
import { bundleForEdge, bundleForServer } from './edge-bundle.js';
import { pack } from './pack.js';
import { licensesFile } from './third-party-licenses.js';

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  name: string;
  exports: Record<string, unknown>;
  peerDependencies?: Record<string, string>;
};
/** What must work without any optional peer. */
const withoutPeers = [
  '.',
  './client',
  './connector',
  './connector/express',
  './connector/fastify',
  './connector/hono',
  './connector/node',
];
const largestTarballBytes = 1024 * 1024;
/** A connector with its libraries, as an edge runtime loads it. */
const largestEdgeBytes = 60 * 1024;

/** The rest needs its optional peers; TypeScript also needs the types of those that ship none. */
const allSubpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
const typesOfPeers = ['@types/node@20', '@types/express@5', '@types/pg@8'];
const nameOf = (subpath: string) => manifest.name + subpath.slice(1);

const folder = mkdtempSync(path.join(tmpdir(), 'concordat-package-'));
const run = (program: string, words: string[], cwd = folder) =>
  execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  const { tarball, files } = pack(folder);
  console.log(`packed ${files.length} files, ${statSync(tarball).size} bytes`);
  if (statSync(tarball).size > largestTarballBytes)
    throw new Error(`the tarball is larger than ${largestTarballBytes} bytes`);
  const stray = files.filter(
    (file) =>
      !/^(?:(?:dist|docs|examples|templates)\/|(?:package\.json|(?:README|LICENSE|CHANGELOG|CONTRIBUTING|SECURITY)(?:\.md)?)$)/.test(
        file,
      ),
  );
  if (stray.length > 0) throw new Error(`files that do not belong in the package: ${stray.join(', ')}`);

  writeFileSync(path.join(folder, 'package.json'), '{"name":"consumer","private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', tarball]);
  const installed = run('npm', ['ls', '--all', '--parseable']).trim().split('\n').length - 1;
  console.log(`installed ${installed} packages, the package itself included`);

  const packed = path.join(folder, 'node_modules', manifest.name);
  const notices = readFileSync(path.join(packed, 'dist', licensesFile), 'utf8');
  console.log(`licenses of ${checkLicenses(packed, files, notices).join(', ')} are in it`);

  const edgeBytes = await bundleForEdge(folder, manifest.name);
  console.log(`a connector for an edge runtime: ${edgeBytes} bytes, gzipped`);
  if (edgeBytes > largestEdgeBytes)
    throw new Error(`a connector on an edge runtime is larger than ${largestEdgeBytes} bytes`);

  await bundleForServer(folder, [nameOf('./api-keys'), nameOf('./admin')]);
  console.log('a server is bundled without the optional peers that it does not use');

  const names = withoutPeers.map(nameOf);
  writeFileSync(
    path.join(folder, 'check.mjs'),
    `${sameNames(names)}const esm = { contract: await import('${manifest.name}'), connector: await import('${manifest.name}/connector') };
const cjs = { contract: require('${manifest.name}'), connector: require('${manifest.name}/connector') };
for (const { contract, connector } of [esm, cjs]) {
  const response = connector.errorResponse(new contract.NotFoundError('No issue 7', { code: 'ISSUE_NOT_FOUND' }));
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { errors: { code: 'ISSUE_NOT_FOUND', message: 'No issue 7' } });
}
// The same error thrown from the CommonJS copy is understood by the ES module copy.
assert.ok(esm.contract.isConnectorError(new cjs.contract.NotFoundError(), 'not-found'));
assert.equal(esm.connector.errorResponse(new cjs.contract.NotFoundError()).status, 404);
// One class for all subpaths of one module system.
for (const { contract } of [esm, cjs]) {
  const { createConnectorClient } = contract === cjs.contract ? require('${manifest.name}/client') : await import('${manifest.name}/client');
  const answer = (path) => path === '/initialize' ? Response.json([]) : Response.json({ errors: { code: 'X', message: 'none' } }, { status: 404 });
  const client = createConnectorClient({ baseUrl: 'http://127.0.0.1', initialize: { parameters: {} }, fetch: async (url) => answer(new URL(url).pathname) });
  await assert.rejects(client.get('/x'), contract.NotFoundError);
}
`,
  );
  process.stdout.write(run('node', ['check.mjs']));

  console.log(`concordat ${run('npx', ['--no-install', 'concordat', '--version']).trim()} runs`);
  run('npx', ['--no-install', 'concordat', 'check', '--help']);

  const peers = Object.entries(manifest.peerDependencies ?? {}).map(([name, range]) => `${name}@${range}`);
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save', 'typescript@~6.0.3', ...typesOfPeers, ...peers]);
  const all = allSubpaths.map(nameOf);
  writeFileSync(path.join(folder, 'check-all.mjs'), sameNames(all));
  process.stdout.write(run('node', ['check-all.mjs']));

  writeFileSync(
    path.join(folder, 'check.ts'),
    `${all.map((name, index) => `import * as module${index} from '${name}';`).join('\n')}
export const all: object[] = [${all.map((_name, index) => `module${index}`).join(', ')}];
`,
  );
  mkdirSync(path.join(folder, 'cjs'));
  writeFileSync(path.join(folder, 'cjs/check.cts'), readFileSync(path.join(folder, 'check.ts')));
  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
    ['CommonJS', 'Node10'],
  ] as const) {
    const include = module === 'NodeNext' ? ['check.ts', 'cjs/check.cts'] : ['check.ts'];
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: module !== 'NodeNext',
      ...(moduleResolution === 'Node10' && { ignoreDeprecations: '6.0' }),
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    run('npx', ['tsc', '-p', folder]);
    console.log(`TypeScript, module resolution ${moduleResolution}: every subpath has its types`);
  }
  process.stdout.write(run('npx', ['publint', '--strict', tarball], root));
  process.stdout.write(run('npx', ['attw', '--no-color', '--no-emoji', '--format', 'ascii', tarball], root));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A script that imports and requires each of the names, and compares what both offer. */
function sameNames(names: string[]): string {
  return `import { createRequire } from 'node:module';
import assert from 'node:assert/strict';
const require = createRequire(import.meta.url);
for (const name of ${JSON.stringify(names)}) {
  const esm = Object.keys(await import(name)).filter((key) => key !== 'default' && key !== 'module.exports').sort();
  const cjs = Object.keys(require(name)).filter((key) => key !== 'default').sort();
  assert.deepEqual(esm, cjs, name + ': import and require offer different names');
  assert.ok(esm.length > 0, name + ' exports nothing');
}
console.log('import and require: ' + ${JSON.stringify(names)}.join(', '));
`;
}
