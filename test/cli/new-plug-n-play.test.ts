import type { Dirent, PathLike } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { planProject } from '../../src/cli/new/project.js';

/** As Yarn's Plug'n'Play reads a folder of a package, which is in a zip: `parentPath` is relative to that folder. */
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const readdirSync = (folder: PathLike, options: never) => {
    const entries = fs.readdirSync(folder, options) as unknown as (Dirent | string)[];
    for (const entry of entries) {
      if (typeof entry !== 'string') entry.parentPath = entry.parentPath.slice(String(folder).length + 1) || '.';
    }
    return entries;
  };
  return { ...fs, readdirSync };
});

let plan: typeof planProject;
beforeAll(async () => {
  vi.resetModules();
  plan = (await import('../../src/cli/new/project.js')).planProject;
});
afterAll(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

it('a project can be created from a package in a zip, as Yarn installs it', () => {
  const files = plan({ name: 'demo', template: 'fastify', preset: 'generic', concordat: '^1.2.3' });
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['.gitignore', '.github/workflows/ci.yml', 'package.json', 'src/connector.ts']),
  );
});
