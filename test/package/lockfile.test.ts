import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  resolved?: string;
  integrity?: string;
  optionalDependencies?: Record<string, string>;
}

function read(folder: string): Record<string, LockedPackage> {
  const file = new URL(`../../${folder}/package-lock.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> }).packages;
}

/** Packages without an address or a checksum, and optional ones (those of other platforms) that are missing. */
function problems(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([location, { resolved, integrity, optionalDependencies = {} }]) => {
    const incomplete = location !== '' && (!resolved?.startsWith('https://registry.npmjs.org/') || !integrity);
    const missing = Object.keys(optionalDependencies).filter(
      (name) => !Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`)),
    );
    return [...(incomplete ? [location] : []), ...missing.map((name) => `${location} needs ${name}`)];
  });
}

it.each(['.', 'tools', 'tools/job-queues', 'tools/mutation', 'bench'])(
  '%s/package-lock.json is complete on every platform',
  (folder) => {
    const packages = read(folder);
    expect(Object.keys(packages).length).toBeGreaterThan(30);
    expect(problems(packages)).toEqual([]);
  },
);

it('control: an entry without a checksum and a missing platform are found', () => {
  const packages = {
    '': {},
    'node_modules/a': {
      resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz',
      optionalDependencies: { 'a-darwin': '1.0.0' },
    },
  };
  expect(problems(packages)).toEqual(['node_modules/a', 'node_modules/a needs a-darwin']);
});
