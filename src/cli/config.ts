import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConformanceConfig } from '../conformance/index.js';
import { type Io, UsageError } from './io.js';
import { readEnvironment } from './parameters.js';
import { readText } from './values.js';

const defaultNames = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `concordat.config.${extension}`);

/**
 * Reads the config from the given file, or from `concordat.config.*` in the working directory if there is one. Parameters
 * of initialize with the value `env:NAME` come from the environment, unless a flag replaces them (`replaced`).
 */
export async function loadConfig(
  named: string | undefined,
  io: Io,
  replaced: readonly string[] = [],
): Promise<ConformanceConfig> {
  const names = named === undefined ? defaultNames : [named];
  const file = names.map((each) => path.resolve(io.cwd, each)).find((each) => existsSync(each));
  if (file === undefined && named !== undefined) throw new UsageError(`The config file ${named} does not exist.`);
  if (file === undefined) return {};
  const name = path.relative(io.cwd, file);
  const config = await readConfig(file, name);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`${name} must have the config as its default export: export default { probes: { … } }.`);
  }
  return withSecrets(config, io.env, name, replaced);
}

async function readConfig(file: string, name: string): Promise<unknown> {
  const isJson = file.endsWith('.json');
  try {
    if (isJson) return JSON.parse(readText(file));
    const module = (await importFile(file, name)) as { default?: unknown };
    const exported = module.default;
    // In a file compiled to CommonJS, the default export is one level deeper.
    return (exported as { __esModule?: boolean; default?: unknown } | undefined)?.__esModule
      ? (exported as { default?: unknown }).default
      : exported;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const place = error instanceof Error && !isJson ? placeOf(error, realpathSync(file)) : undefined;
    throw new UsageError(`${name} cannot be read: ${reason}${place === undefined ? '' : ` (${name}:${place})`}`);
  }
}

/** The line and column of the config where the error came up, if it did there. */
function placeOf(error: Error, file: string): string | undefined {
  const texts = [error.stack ?? ''];
  // The stack of an ES module that is not JavaScript names only Node itself.
  if (error instanceof SyntaxError) texts.push(spawnSync(process.execPath, ['--check', file]).stderr.toString());
  const after = texts.flatMap((text) => [pathToFileURL(file).href, file].map((known) => text.split(`${known}:`)[1]));
  return after.map((rest = '') => /^\d+(:\d+)?/.exec(rest)?.[0]).find((place) => place !== undefined);
}

async function importFile(file: string, name: string): Promise<unknown> {
  const url = pathToFileURL(file).href;
  try {
    return await import(url);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
  }
  return (await findTsx(file, name)).tsImport(url, pathToFileURL(file).href);
}

interface Tsx {
  tsImport(specifier: string, parent: string): Promise<unknown>;
}

/** Node 22.18 and newer read TypeScript; older versions need tsx, if the project has it. */
async function findTsx(file: string, name: string): Promise<Tsx> {
  try {
    // `resolve` finds the entry for `require`, but this needs the one for `import`.
    const manifest = createRequire(file).resolve('tsx/package.json');
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
    const entry: unknown = exports['./esm/api'].import.default;
    return (await import(pathToFileURL(path.join(path.dirname(manifest), String(entry))).href)) as Tsx;
  } catch {
    throw new UsageError(
      `Node ${process.versions.node} cannot read ${name}. Install tsx (npm install --save-dev tsx), ` +
        'use Node 22.18 or newer, or write the config in JavaScript: concordat.config.js.',
    );
  }
}

/** Replaces `env:NAME` in the parameters of initialize; these values are secrets. */
function withSecrets(
  config: ConformanceConfig,
  env: Io['env'],
  name: string,
  replaced: readonly string[],
): ConformanceConfig {
  const initialize = config.probes?.initialize;
  if (initialize === undefined) return config;
  const resolved = Object.fromEntries(
    Object.entries(initialize).map(([option, value]) => [
      option,
      option === 'path' || replaced.includes(option)
        ? value
        : resolve(value, env, `\`probes.initialize.${option}\` of ${name}`),
    ]),
  );
  return { ...config, probes: { ...config.probes, initialize: resolved } };
}

function resolve(parameters: unknown, env: Io['env'], place: string): unknown {
  const read = (value: unknown, key: unknown) =>
    typeof value === 'string' && value.startsWith('env:')
      ? readEnvironment(value, env, `${JSON.stringify(key)} in ${place}`)
      : value;
  if (Array.isArray(parameters)) {
    return parameters.map((entry) => {
      const value = read(entry?.value, entry?.key);
      return value === entry?.value ? entry : { ...entry, value, sensitive: true };
    });
  }
  if (typeof parameters !== 'object' || parameters === null) return parameters;
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, read(value, key)]));
}
