// Code of MIT packages was bundled into the package, and the licenses that have to be in every copy were not. A security
// review found it by looking for "copyright" in the tarball. The build now writes them, from esbuild's own list of what it
// has bundled; `npm run test:package` asks the same of the real tarball.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { checkLicenses, packagesIn } from '../../scripts/check-licenses.js';
import { licenseOf, licensesFile, thirdPartyLicenses } from '../../scripts/third-party-licenses.js';

/** Bundles code that imports these, as the package is bundled. */
async function bundle(...imports: string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-licenses-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const plugin = thirdPartyLicenses(folder);
  for (const [index, name] of imports.entries()) {
    const stdin = { contents: `export * from '${name}'`, resolveDir: process.cwd() };
    await build({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: path.join(folder, `${index}.js`),
      plugins: [plugin],
    });
  }
  const files = imports.map((_, index) => `${index}.js`);
  return {
    check: (notices = readFileSync(path.join(folder, licensesFile), 'utf8')) => checkLicenses(folder, files, notices),
    notices: readFileSync(path.join(folder, licensesFile), 'utf8'),
  };
}

it('the license of every bundled package is beside the bundles, and of no other', async () => {
  const { check, notices } = await bundle('structured-headers', '@clack/core');
  const names = check();
  expect(names).toEqual(expect.arrayContaining(['structured-headers', '@clack/core', 'sisteransi']));
  expect(notices.match(/^-{80}$/gm)).toHaveLength(names.length);
  expect(notices).toContain(licenseOf('node_modules/sisteransi'));
  expect(notices).not.toContain('commander');
});

it('a license that is missing is found, by the name of its package', async () => {
  const { check, notices } = await bundle('fast-wrap-ansi');
  expect(check(notices)).toEqual(['fast-string-truncated-width', 'fast-string-width', 'fast-wrap-ansi']);
  expect(() => check('')).toThrow(/licenses: fast-string-truncated-width, fast-string-width, fast-wrap-ansi$/);
  expect(() => check(notices.replace('\nfast-wrap-ansi', '\nelse'))).toThrow(/licenses: fast-wrap-ansi$/);
  expect(() => check(notices.replaceAll('Permission', ''))).toThrow(
    /licenses: fast-string-truncated-width, fast-string-width, fast-wrap-ansi$/,
  );
});

it('bundled packages are known by the comments in a bundle, wherever they were installed', () => {
  const code =
    '"use strict";// ../node_modules/a/node_modules/@b/c/index.js\nvar x;\n  // node_modules/d/e.js\n// src/f.ts';
  expect(packagesIn(code)).toEqual(new Set(['@b/c', 'd']));
});
