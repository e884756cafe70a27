// Prints what the changelog says about the version of a tag: `npx tsx scripts/release-notes.ts v0.1.0`. The release
// workflow runs it first, so that nothing is published whose tag, version and changelog disagree.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export interface Release {
  /** As in `v0.1.0`. */
  readonly tag: string;
  /** Of package.json. */
  readonly version: string;
  readonly changelog: string;
}

/** @throws Error naming what disagrees. */
export function releaseNotes({ tag, version, changelog }: Release): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json says ${version}.`);
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)".`);
  const [title = '', ...lines] = section.split('\n');
  if (!/^\S+ \(\d{4}-\d{2}-\d{2}\)$/.test(title)) {
    throw new Error(`CHANGELOG.md says "${title}": write the date of the release, "${version} (YYYY-MM-DD)".`);
  }
  return lines.join('\n').trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  try {
    console.log(releaseNotes({ tag: process.argv[2] ?? '', version, changelog: read('CHANGELOG.md') }));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
