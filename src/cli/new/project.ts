import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot, UsageError } from '../io.js';

const templates = path.join(packageRoot, 'templates');

export const frameworks = { hono: 'Hono', express: 'Express', fastify: 'Fastify' } as const;
export type Template = keyof typeof frameworks;
export const templateNames = Object.keys(frameworks) as Template[];

/** The folders of templates/ that make up each template, in order. */
const layers: Record<Template, readonly string[]> = {
  hono: ['shared', 'hono'],
  express: ['shared', 'express-and-fastify', 'express'],
  fastify: ['shared', 'express-and-fastify', 'fastify'],
};

export interface Project {
  name: string;
  template: Template;
  preset: string;
  /** The version of this package in package.json. */
  concordat: string;
}

/** The files of a new project: paths (with "/") and their contents. @throws TypeError for a token without a value. */
export function planProject({ name, template, preset, concordat }: Project): Map<string, string> {
  const values: Record<string, string> = {
    name,
    image: name.replace(/^@.*\//, ''),
    framework: frameworks[template],
    preset,
    concordat,
  };
  const fill = (text: string, file: string) =>
    text.replace(/(?<!\$)\{\{(\w*)\}\}/g, (token, key: string) => {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      if (value === undefined) throw new TypeError(`There is no value for ${token}.`);
      return file.endsWith('.json') ? JSON.stringify(value).slice(1, -1) : value;
    });
  const files = new Map<string, string>();
  for (const layer of layers[template]) {
    for (const { file, text } of readFolder(path.join(templates, layer))) {
      const before = files.get(file);
      files.set(file, before === undefined ? fill(text, file) : mergeManifests(before, text));
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function dependencyNames(template: Template): string[] {
  const project = { name: '', template, preset: '', concordat: '' };
  const { dependencies, devDependencies } = JSON.parse(planProject(project).get('package.json') as string);
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

function readFolder(folder: string): { file: string; text: string }[] {
  // Names only: in Yarn's zips the `parentPath` of an entry is relative.
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => {
      const file = name.split(path.sep).join('/');
      // npm does not pack files called .gitignore.
      return { file: file === 'gitignore' ? '.gitignore' : file, text: readFileSync(path.join(folder, name), 'utf8') };
    });
}

/** Adds a layer's dependencies to package.json, the one file that several layers have. */
function mergeManifests(before: string, addition: string): string {
  const manifest = JSON.parse(before);
  for (const [section, entries] of Object.entries<Record<string, string>>(JSON.parse(addition))) {
    const merged = Object.entries({ ...manifest[section], ...entries });
    manifest[section] = Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** Checks that none of the files exists yet. @throws UsageError naming those, and `shown`: the folder as the user wrote it. */
export function checkFree(folder: string, files: Iterable<string>, shown: string): void {
  const taken = new Set<string>();
  attempt(shown, () => {
    if (kindOf(folder) === 'other') throw new Error('it is not a folder');
    for (const file of files) {
      const obstacle = findObstacle(folder, file);
      if (obstacle !== undefined) taken.add(obstacle);
    }
  });
  if (taken.size === 0) return;
  throw new UsageError(
    `Nothing was written, because ${shown} already contains ${[...taken].join(', ')}. ` +
      `Choose another folder, or move ${taken.size === 1 ? 'it' : 'them'} away.`,
  );
}

/** What exists in place of a file or of one of its folders. */
function findObstacle(folder: string, file: string): string | undefined {
  const parts = file.split('/');
  for (const length of parts.keys()) {
    const name = parts.slice(0, length + 1).join('/');
    const kind = kindOf(path.join(folder, name));
    if (kind === 'nothing') return undefined;
    if (kind === 'other' || name === file) return name;
  }
  return undefined;
}

/** A broken symbolic link counts as something. */
function kindOf(file: string): 'nothing' | 'folder' | 'other' {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'folder';
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? 'nothing' : 'other';
}

/** @throws UsageError when the folder cannot be written. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>, shown: string): void {
  attempt(shown, () => {
    for (const [file, text] of files) {
      makeFolder(path.dirname(path.join(folder, file)));
      // Fails if the file has been created in the meantime.
      writeFileSync(path.join(folder, file), text, { flag: 'wx' });
    }
  });
}

/** Node's `recursive` never returns on file systems whose mkdir fails with ENOENT, such as /proc. */
function makeFolder(folder: string): void {
  if (kindOf(folder) === 'folder') return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  mkdirSync(folder);
}

function attempt(shown: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UsageError(`${shown} cannot be written: ${(error as Error).message}`);
  }
}
