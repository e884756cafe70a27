import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './io.js';

// As far from src/cli as from dist/cli.
const root = fileURLToPath(new URL('../../', import.meta.url));
const templates = path.join(root, 'templates');

/** The folder of the running package. */
export const packageRoot = path.dirname(templates);

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
 * Writes the files, all or none.
 *
 * @param shown the folder as the user wrote it.
 * @throws UsageError naming what is already there.
 */
export function writeProject(folder: string, files: ReadonlyMap<string, string>, shown: string): void {
  const taken = [...files.keys()].filter((file) => exists(path.join(folder, file)));
  if (taken.length > 0) {
    throw new UsageError(
      `Nothing was written, because ${shown} already has ${taken.join(', ')}. Take another folder, or move ${taken.length === 1 ? 'it' : 'them'} away.`,
    );
  }
  try {
    for (const [file, text] of files) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      // Not over a file that somebody made in the meantime either.
      writeFileSync(path.join(folder, file), text, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(`${shown} cannot be written: ${(error as Error).message}`);
  }
}

/** Whether something is there, be it a link that leads nowhere, or a file where a folder has to be. */
function exists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== 'ENOENT';
  }
}
