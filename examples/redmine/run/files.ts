import { createHash, randomBytes } from 'node:crypto';
import type { SyncResult } from '../sync/synchronize.js';
import type { DirectRedmine } from './direct.js';

/** Two more projects in Redmine, each with an issue and files of its own. */
export const fileProjects = { left: 'workshop', right: 'depot' } as const;

/** The signature of a PNG, and then what no text decoder leaves as it was. */
const picture = () => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(20_000)]);
const large = () => randomBytes(50 * 1024 * 1024);

/** What people attach, by project. */
const attached = {
  workshop: { title: 'The press drips', files: { 'drip ü.png': picture, 'vibrations.bin': large } },
  depot: { title: 'A crate is open', files: { 'crate.png': picture } },
};

export interface FilesOutcome {
  syncs: SyncResult[];
  /** Files that are in both projects once, with the SHA-256 of what was attached, of all that were. */
  right: number;
  all: number;
  bytes: number;
}

/**
 * Attaches files in two projects, small ones and one of 50 MB, and has the projects synchronized twice. Then it compares what
 * both hold with what was attached: read without a connector, by SHA-256.
 */
export async function runFiles(redmine: DirectRedmine, sync: () => Promise<SyncResult>): Promise<FilesOutcome> {
  const expected: { title: string; filename: string; sha256: string }[] = [];
  let bytes = 0;
  for (const [project, { title, files }] of Object.entries(attached)) {
    const issue = await redmine.create(title, 'With files.', project);
    for (const [filename, make] of Object.entries(files)) {
      const content = make();
      bytes += content.length;
      expected.push({ title, filename, sha256: createHash('sha256').update(content).digest('hex') });
      await redmine.attach(issue, filename, content);
    }
  }
  const syncs = [await sync(), await sync()];
  const found: string[] = [];
  for (const project of Object.values(fileProjects)) {
    for (const { number, title } of await redmine.issues(project)) {
      for (const { id, filename } of await redmine.files(number)) {
        found.push([project, title, filename, await redmine.sha256(id)].join('\n'));
      }
    }
  }
  const right = expected.filter(({ title, filename, sha256 }) =>
    Object.values(fileProjects).every((project) => {
      const wanted = [project, title, filename, sha256].join('\n');
      return found.filter((each) => each === wanted).length === 1;
    }),
  );
  // What nobody attached counts against all the others.
  const strays = found.length - 2 * expected.length;
  return { syncs, right: right.length - Math.max(0, strays), all: expected.length, bytes };
}
