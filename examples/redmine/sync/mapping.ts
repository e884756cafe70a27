import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Mapping } from './plan.js';

/** The mapping in a file, which a run that is stopped leaves whole. */
export class MappingFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns an empty mapping when there is none yet. */
  async read(): Promise<Mapping> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as Mapping;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async write(mapping: Mapping): Promise<void> {
    const beside = `${this.#path}.new`;
    await writeFile(beside, JSON.stringify(mapping));
    await rename(beside, this.#path);
  }
}
