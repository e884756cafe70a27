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

test('only the adapter for Node imports from Node: all else runs on any runtime', () => {
  const onNode = imports.filter(({ modules }) => modules.some((module) => /^node:|node-server/.test(module)));
  expect(onNode.map(({ file }) => file)).toEqual(['adapters/node.ts']);
  expect(imports.length).toBeGreaterThan(20);
});

test('the Node adapter is loaded by no other file before it is needed', () => {
  const users = imports.filter(({ modules }) => modules.some((module) => module.endsWith('/node.js')));
  expect(users.map(({ file }) => file)).toEqual([]);
});

test('express and fastify are imported as types only: neither has to be installed', () => {
  const users = imports.filter(({ modules }) => modules.some((module) => /^(express|fastify)\b/.test(module)));
  expect(users.map(({ file }) => file)).toEqual([]);
});
