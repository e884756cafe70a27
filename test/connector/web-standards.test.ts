import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../src/connector', import.meta.url));

/** Files and what they import when they are loaded; types vanish. */
const imports = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const found = [...source.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?\sfrom '([^']+)'/gms)];
    return { file, modules: found.map(([, module]) => module as string) };
  });

test('only the files for Node import from Node: all else runs on any runtime', () => {
  const onNode = imports.filter(({ modules }) => modules.some((module) => /^node:|node-server/.test(module)));
  expect(onNode.map(({ file }) => file).sort()).toEqual(['server/node-listener.ts', 'server/node-server.ts']);
  expect(imports.length).toBeGreaterThan(20);
});

test('they are loaded before they are needed by the adapter for Node alone', () => {
  const users = imports.filter(({ modules }) => modules.some((module) => /\/node-(listener|server)\.js$/.test(module)));
  expect(users.map(({ file }) => file)).toEqual(['adapters/node.ts']);
});

test('express and fastify are imported as types only: neither has to be installed', () => {
  const users = imports.filter(({ modules }) => modules.some((module) => /^(express|fastify)\b/.test(module)));
  expect(users.map(({ file }) => file)).toEqual([]);
});
