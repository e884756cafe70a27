import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../helpers/compiled.js';

describe('optional packages', () => {
  // A loader that knows no such package, as on a machine where it was not installed.
  const openWithout = async (missing: string, database: string) => {
    const hooks = `export const resolve = (name, context, next) => {
      if (name === ${JSON.stringify(missing)}) {
        throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
      }
      return next(name, context);
    };`;
    const register = `import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`;
    const program = await compiled(fileURLToPath(new URL('./helpers/open-and-close.ts', import.meta.url)));
    const importRegister = `data:text/javascript,${encodeURIComponent(register)}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', importRegister, program, database], {
      encoding: 'utf8',
    });
    return stdout || stderr;
  };

  // Newer versions of Node have SQLite themselves.
  const needsDriver = process.getBuiltinModule?.('node:sqlite' as 'node:fs') === undefined;
  const kysely = 'API keys need the package `kysely` for their queries: npm install kysely';

  it.each([
    ['kysely', ':memory:', needsDriver ? `${kysely} @photostructure/sqlite` : kysely],
    ['kysely', 'postgres://127.0.0.1:1/x', `${kysely} pg`],
    ['pg', 'postgres://127.0.0.1:1/x', 'API keys need the package `pg` for PostgreSQL: npm install pg'],
    [
      '@photostructure/sqlite',
      ':memory:',
      needsDriver
        ? 'API keys need the package `@photostructure/sqlite` for SQLite on this version of Node: npm install @photostructure/sqlite'
        : 'opened',
    ],
    ['nothing', ':memory:', 'opened'],
  ])('without %s, opening %s says what to install', async (missing, database, message) => {
    expect(await openWithout(missing, database)).toBe(message);
  });
});
