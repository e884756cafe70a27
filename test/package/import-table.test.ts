import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const sourceRoot = fileURLToPath(new URL('../../src', import.meta.url));

interface FolderRules {
  /** Folders of src that this one may import, by their index.ts only. */
  folders: readonly string[];
  /** Folders of which only types may be imported. */
  typesOf?: readonly string[];
  packages: readonly string[];
  /** Whether modules of Node may be imported: not where the code has to run on any JavaScript runtime. */
  node: boolean;
}

// "Who may import whom". `''` is src/index.ts itself. internal and contract share a row, so contract may use internal.
const rules: Record<string, FolderRules> = {
  '': { folders: ['contract'], packages: [], node: false },
  internal: { folders: [], packages: ['zod'], node: false },
  contract: { folders: ['internal'], packages: ['zod', 'structured-headers'], node: false },
  connector: { folders: ['contract', 'internal'], packages: ['hono', '@hono/node-server', 'zod'], node: false },
  'connector/adapters': {
    folders: ['connector', 'contract', 'internal'],
    packages: ['hono', '@hono/node-server', 'express', 'fastify'],
    node: true,
  },
  client: { folders: ['contract', 'internal'], packages: ['undici', 'zod'], node: true },
  testing: { folders: ['contract', 'connector', 'internal'], packages: ['msw', 'zod'], node: true },
  conformance: { folders: ['contract', 'internal'], packages: ['zod'], node: false },
  'api-keys': {
    folders: ['internal'],
    packages: ['kysely', 'pg', '@photostructure/sqlite', 'zod'],
    node: true,
  },
  admin: { folders: ['api-keys', 'internal'], packages: ['hono', '@modelcontextprotocol/sdk', 'zod'], node: true },
  integrations: {
    folders: ['internal'],
    typesOf: ['client'],
    packages: ['ioredis', 'redis', 'bullmq', '@opentelemetry/api'],
    node: true,
  },
  // `connector` for the names of the presets, so that `concordat new` has no list of its own.
  cli: {
    folders: ['conformance', 'testing', 'client', 'contract', 'internal'],
    typesOf: ['connector'],
    packages: ['commander', '@clack/prompts', 'undici', 'yaml'],
    node: true,
  },
};

interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** Every module that a source text names: import, export … from, import(), require() and import types. */
function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean) => {
    if (node && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isExternalModuleReference(node)) add(node.expression, false);
    else if (ts.isCallExpression(node) && isModuleCall(node.expression)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly);
}

function isModuleCall(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

/** The part of the table that a file (relative to src) belongs to. */
function folderOf(file: string): string {
  const folder = path.posix.dirname(file);
  if (folder === '.') return '';
  if (folder.startsWith('connector/adapters')) return 'connector/adapters';
  return folder.split('/')[0]!;
}

const packageOf = (specifier: string) => specifier.match(/^(@[^/]+\/[^/]+|[^/]+)/)?.[0] ?? specifier;

/** What a file imports against the table, one sentence a violation. */
function violations(file: string, text: string): string[] {
  const folder = folderOf(file);
  const rule = rules[folder];
  if (rule === undefined) return [`${file}: the folder ${folder} is not in the table`];
  return importsOf(file, text).flatMap(({ specifier, typeOnly }) => {
    const problem = specifier.startsWith('.')
      ? relativeProblem(file, folder, rule, specifier, typeOnly)
      : packageProblem(file, rule, specifier);
    return problem === undefined ? [] : [`${file} imports ${specifier}: ${problem}`];
  });
}

function relativeProblem(file: string, folder: string, rule: FolderRules, specifier: string, typeOnly: boolean) {
  if (!/\.js$/.test(specifier)) return 'a relative import ends in .js';
  const target = path.posix.join(path.posix.dirname(file), specifier);
  if (target.startsWith('..')) return 'it lies outside src';
  const targetFolder = folderOf(target);
  // The adapters are a part of the connector's folder, with a row of their own for what they import from elsewhere.
  if (targetFolder === folder || folder.startsWith(`${targetFolder}/`)) return undefined;
  const allowed = rule.folders.includes(targetFolder) || (typeOnly && rule.typesOf?.includes(targetFolder));
  if (!allowed) return `${folder || 'index.ts'} may not import ${targetFolder || 'index.ts'}`;
  return target === `${targetFolder}/index.js` ? undefined : 'folders reach each other only through index.ts';
}

function packageProblem(file: string, rule: FolderRules, specifier: string) {
  if (specifier.startsWith('node:')) return rule.node ? undefined : 'this has to run on any JavaScript runtime';
  if (builtinModules.includes(packageOf(specifier))) return 'modules of Node are written with node:';
  if (packageOf(specifier) === 'undici' && !['client/http/undici.ts', 'cli/proxy.ts'].includes(file)) {
    return 'only client/http/undici.ts and cli/proxy.ts import undici';
  }
  return rule.packages.includes(packageOf(specifier)) ? undefined : 'this package is not allowed here';
}

const files = readdirSync(sourceRoot, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file));

describe('every file of src keeps the import table', () => {
  it.each(files)('%s', (file) => {
    expect(violations(file, readFileSync(path.join(sourceRoot, file), 'utf8'))).toEqual([]);
  });

  it('really reads files (control)', () => {
    expect(files).toContain('index.ts');
    expect(files).toContain('contract/errors.ts');
  });
});

/**
 * Folders with rooms, each in order: a room may import those before it. `''` holds the files of the folder that belong to
 * no later room and that all rooms may import.
 */
const buildings: Record<string, { rooms: readonly string[]; files: Record<string, string> }> = {
  client: {
    rooms: ['', 'http', 'rate-limit', 'session', 'settings', 'call', 'create-client'],
    files: {
      'options.ts': 'settings',
      'settings.ts': 'settings',
      'client-types.ts': 'settings',
      'create-client.ts': 'create-client',
      'index.ts': 'create-client',
    },
  },
  connector: {
    rooms: ['', 'errors', 'end-system', 'request', 'app', 'server', 'adapters', 'index'],
    files: { 'index.ts': 'index' },
  },
  testing: {
    rooms: ['', 'clock', 'http', 'routes', 'faults', 'simulation'],
    files: {
      'options.ts': 'simulation',
      'quota.ts': 'simulation',
      'sessions.ts': 'simulation',
      'simulation.ts': 'simulation',
      'simulate-connector.ts': 'simulation',
      'index.ts': 'simulation',
    },
  },
  conformance: {
    rooms: ['', 'probing', 'generating', 'case', 'wording', 'cases', 'report', 'run'],
    files: { 'case.ts': 'case', 'conformance.ts': 'run', 'run.ts': 'run', 'index.ts': 'run' },
  },
  cli: {
    rooms: ['', 'new', 'record', 'check', 'main'],
    files: { 'check.ts': 'check', 'index.ts': 'main', 'main.ts': 'main' },
  },
};

function roomOf(file: string): number {
  const [folder = '', first = '', second] = file.split('/');
  const { rooms, files } = buildings[folder] ?? { rooms: [], files: {} };
  return rooms.indexOf(second === undefined ? (files[first] ?? '') : first);
}

/** The files that each file of a folder imports from it, types included. */
function graphOf(folder: string): Map<string, string[]> {
  const inside = files.filter((file) => file.startsWith(`${folder}/`));
  // The names of the presets are a type made of the presets, whose type has a name in it.
  const isNameOfPreset = (file: string, target: string) =>
    file === 'connector/end-system/preset.ts' && target === 'connector/end-system/presets/index.ts';
  const targets = (file: string) =>
    importsOf(file, readFileSync(path.join(sourceRoot, file), 'utf8'))
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts'))
      .filter((target) => inside.includes(target) && !isNameOfPreset(file, target));
  return new Map(inside.map((file) => [file, targets(file)]));
}

/** A way from a file back to itself. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, way: string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of graph.get(file) ?? []) {
      const circle = visit(target, [...way, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe.each(Object.keys(buildings))('the rooms of %s', (folder) => {
  const graph = graphOf(folder);

  it('import those before them, and never back', () => {
    const backwards = [...graph].flatMap(([file, targets]) =>
      targets.filter((target) => roomOf(target) > roomOf(file)).map((target) => `${file} imports ${target}`),
    );
    expect(backwards).toEqual([]);
    expect([...graph.keys()].filter((file) => roomOf(file) === -1)).toEqual([]);
  });

  it('have no circle between files, types included', () => {
    expect(circleIn(graph)).toBeUndefined();
  });

  it('control: files and their imports are found', () => {
    expect([...graph.values()].flat().length).toBeGreaterThan(15);
  });
});

it('control: a circle is found, and so is the order', () => {
  expect(circleIn(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]]))).toEqual(['b', 'c', 'b']); // biome-ignore format: short
  expect(roomOf('client/http/wire.ts')).toBeLessThan(roomOf('client/call/run.ts'));
  expect(roomOf('testing/new-room/file.ts')).toBe(-1);
});

it('no folder has more than fifteen files, and no file more than 250 lines', () => {
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(path.posix.dirname(file), (sizes.get(path.posix.dirname(file)) ?? 0) + 1);
  sizes.delete('connector/end-system/presets'); // a table: one file for each product
  expect([...sizes].filter(([, size]) => size > 15)).toEqual([]);
  const lines = files.map((file) => [file, readFileSync(path.join(sourceRoot, file), 'utf8').split('\n').length - 1]);
  expect(lines.filter(([, count]) => (count as number) > 250)).toEqual([]);
});

describe('the check can fail (control)', () => {
  it.each([
    ['contract/errors.ts', "import { readFile } from 'node:fs/promises';"],
    ['contract/errors.ts', "import { Readable } from 'stream';"],
    ['contract/errors.ts', "import { createConnectorClient } from '../client/index.js';"],
    ['contract/errors.ts', "import { Hono } from 'hono';"],
    ['contract/errors.ts', "import { entry } from './error-table';"],
    ['contract/errors.ts', "import { version } from '../../package.json';"],
    ['connector/errors/responses.ts', "import { limitBytes } from '../../contract/payload.js';"],
    ['connector/errors/responses.ts', "export { limitBytes } from '../../contract/payload.js';"],
    ['connector/errors/responses.ts', "const fs = await import('node:fs');"],
    ['connector/errors/responses.ts', "const fs = require('node:fs');"],
    ['connector/errors/responses.ts', "type Server = import('node:http').Server;"],
    ['connector/server/serve.ts', "import type { Server } from 'node:http';"],
    ['connector/end-system/failure.ts', "import { toNodeHandler } from '../adapters/node.js';"],
    ['connector/adapters/express.ts', "import { limitBytes } from '../../contract/payload.js';"],
    ['client/session.ts', "import { Pool } from 'undici';"],
    ['client/session.ts', "import type { Dispatcher } from 'undici';"],
    ['client/helpers/transport.ts', "import type { Dispatcher } from 'undici';"],
    ['client/session.ts', "import { errorResponse } from '../connector/index.js';"],
    ['conformance/run.ts', "import { createConnectorClient } from '../client/index.js';"],
    ['integrations/redis.ts', "import { createConnectorClient } from '../client/index.js';"],
    ['internal/clock.ts', "import { parseWait } from '../contract/index.js';"],
    ['index.ts', "export { ConnectorError } from './contract/errors.js';"],
    ['index.ts', "export * from './client/index.js';"],
    ['utilities/misc.ts', ''],
  ])('%s: %s', (file, text) => {
    expect(violations(file, text)).toHaveLength(1);
  });

  it.each([
    ['contract/errors.ts', "import { z } from 'zod'; import { describeValue } from '../internal/index.js';"],
    ['connector/end-system/failure.ts', "import { redact } from '../errors/redact.js';"],
    ['connector/adapters/express.ts', "import { errorResponse } from '../errors/responses.js'; import 'node:http';"],
    ['connector/adapters/hono.ts', "import type { ErrorHandler } from 'hono/types';"],
    ['client/http/undici.ts', "import { Pool } from 'undici';"],
    ['integrations/redis.ts', "import type { ClientState } from '../client/index.js';"],
    ['integrations/redis.ts', "import { type ClientState } from '../client/index.js';"],
    ['index.ts', "export { ConnectorError } from './contract/index.js'; // import { x } from 'hono'"],
  ])('and lets pass what is allowed: %s: %s', (file, text) => {
    expect(violations(file, text)).toEqual([]);
  });
});
