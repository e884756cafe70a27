import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findDependency } from '../../src/cli/new/dependency.js';

/** A folder with files; objects become JSON. */
function folderWith(files: Record<string, unknown>): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'concordat-dependency-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), JSON.stringify(value));
  }
  return folder;
}

const installed = 'node_modules/concordat';
const find = (folder: string, packageRoot: string, target = 'demo') =>
  findDependency(path.join(folder, packageRoot), '1.2.3', path.join(folder, target));

/** As npm writes it. */
const lock = (resolved?: string) => ({
  'node_modules/.package-lock.json': { packages: { [installed]: { version: '1.2.3', resolved } } },
});

describe('a new project asks for the package that is running', () => {
  it.each([
    ['https://registry.npmjs.org/concordat/-/concordat-1.2.3.tgz', '^1.2.3'],
    ['https://npm.example.com/some/path/concordat/-/concordat-1.2.3.tgz', '^1.2.3'],
    [undefined, '^1.2.3'],
    ['file:concordat-1.2.3.tgz', 'file:../concordat-1.2.3.tgz'],
    ['file:../../over there/concordat-1.2.3.tgz', 'file:../../../over there/concordat-1.2.3.tgz'],
    ['https://example.com/concordat-1.2.3.tgz', 'https://example.com/concordat-1.2.3.tgz'],
    ['git+ssh://git@example.com/concordat.git#abc', 'git+ssh://git@example.com/concordat.git#abc'],
  ])('installed by npm from %s: %s', (resolved, expected) => {
    const folder = folderWith(lock(resolved));
    expect(find(folder, installed)).toBe(expected);
  });

  it('the path is relative to the new project, wherever that is', () => {
    const folder = folderWith(lock('file:concordat-1.2.3.tgz'));
    expect(find(folder, installed, 'connectors/a/b')).toBe('file:../../../concordat-1.2.3.tgz');
  });

  it('a folder that is linked or checked out: that folder', () => {
    const folder = folderWith({ 'checkout/package.json': {} });
    expect(find(folder, 'checkout')).toBe('file:../checkout');
  });

  it('a tarball installed by who keeps no lock in node_modules: as package.json says', () => {
    const nested = 'node_modules/.pnpm/concordat@file+concordat-1.2.3.tgz/node_modules/concordat';
    const folder = folderWith({ 'package.json': { devDependencies: { concordat: 'file:concordat-1.2.3.tgz' } } });
    expect(find(folder, nested)).toBe('file:../concordat-1.2.3.tgz');
    const control = folderWith({ 'package.json': { devDependencies: { concordat: '^1.0.0' } } });
    expect(find(control, nested)).toBe('^1.2.3');
  });

  it('nothing says where it is from: by version', () => {
    expect(find(folderWith({}), installed)).toBe('^1.2.3');
    expect(find(folderWith({ 'node_modules/.package-lock.json': 'broken' }), installed)).toBe('^1.2.3');
  });

  it('links on the way to the new project are followed, as npm does', () => {
    const folder = folderWith({ ...lock('file:concordat-1.2.3.tgz'), 'far/away/x.json': {} });
    symlinkSync(path.join(folder, 'far/away'), path.join(folder, 'near'));
    expect(find(folder, installed, 'near/demo')).toBe('file:../../../concordat-1.2.3.tgz');
  });
});
