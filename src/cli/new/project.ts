import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot, UsageError } from '../io.js';

const templates = path.join(packageRoot, 'templates');

export const frameworks = { hono: 'Hono', express: 'Express', fastify: 'Fastify' } as const;
export type Template = keyof typeof frameworks;
export const templateNames = Object.keys(frameworks) as Template[];

/** The folders of templates/ that make up each; the files of a later one are added to those before. */
const layers: Record<Template, readonly string[]> = {
  hono: ['shared', 'hono'],
  express: ['shared', 'express-and-fastify', 'express'],
  fastify: ['shared', 'express-and-fastify', 'fastify'],
};

export interface Project {
  name: string;
  template: Template;
  preset: string;
  /** How it asks for this package. */
  concordat: string;
}

/** The files of a new project: paths with "/", and texts. */
export function planProject({ name, template, preset, concordat }: Project): Map<string, string> {
  const values: Record<string, string> = {
    name,
    image: name.replace(/^@.*\//, ''),
    framework: frameworks[template],
    preset,
    concordat,
  };
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (token, key: string) => values[key] ?? token);
  const files = new Map<string, string>();
  for (const layer of layers[template]) {
    for (const { file, text } of readFolder(path.join(templates, layer))) {
      const before = files.get(file);
      files.set(file, before === undefined ? fill(text) : mergeManifests(before, text));
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the project of a template depends on. */
export function dependencyNames(template: Template): string[] {
  const project = { name: '', template, preset: '', concordat: '' };
  const { dependencies, devDependencies } = JSON.parse(planProject(project).get('package.json') as string);
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

function readFolder(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const source = path.join(entry.parentPath, entry.name);
      const file = path.relative(folder, source).split(path.sep).join('/');
      // npm takes a .gitignore in a package for its own, and leaves it out.
      return { file: file === 'gitignore' ? '.gitignore' : file, text: readFileSync(source, 'utf8') };
    });
}

/** package.json is the one file that several layers have: each adds what it depends on. */
function mergeManifests(before: string, addition: string): string {
  const manifest = JSON.parse(before);
  for (const [section, entries] of Object.entries<Record<string, string>>(JSON.parse(addition))) {
    const merged = Object.entries({ ...manifest[section], ...entries });
    manifest[section] = Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * Makes sure that nothing is in the way of the files.
 *
 * @param shown the folder as the user wrote it.
 * @throws UsageError naming what is.
 */
export function checkFree(folder: string, files: Iterable<string>, shown: string): void {
  const taken = new Set<string>();
  attempt(shown, () => {
    if (kindOf(folder) === 'other') throw new Error('it is no folder');
    for (const file of files) {
      const obstacle = findObstacle(folder, file);
      if (obstacle !== undefined) taken.add(obstacle);
    }
  });
  if (taken.size === 0) return;
  throw new UsageError(
    `Nothing was written, because ${shown} already has ${[...taken].join(', ')}. ` +
      `Take another folder, or move ${taken.size === 1 ? 'it' : 'them'} away.`,
  );
}

/** What is in the place of a file, or of one of the folders that lead to it. */
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

/** A link that leads nowhere is something, too. */
function kindOf(file: string): 'nothing' | 'folder' | 'other' {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'folder';
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? 'nothing' : 'other';
}

/** @throws UsageError when the folder cannot be written. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>, shown: string): void {
  attempt(shown, () => {
    for (const [file, text] of files) {
      makeFolder(path.dirname(path.join(folder, file)));
      // Not over a file that somebody made in the meantime either.
      writeFileSync(path.join(folder, file), text, { flag: 'wx' });
    }
  });
}

/** Node's own `recursive` never ends where a file system answers ENOENT to mkdir itself, as /proc does. */
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
