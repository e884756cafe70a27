import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
const linksOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target);

it('the documentation is in the package, for people and coding assistants without a network', () => {
  expect(files).toContain('docs');
  const pages = linksOf('README.md').filter((target) => target.startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(20);
  for (const page of pages) expect([page, existsSync(page)]).toEqual([page, true]);
});

it.each(readdirSync('docs').filter((name) => name.endsWith('.md')))('docs/%s leads to pages that are there', (name) => {
  const pages = linksOf(`docs/${name}`).filter((target) => !target.startsWith('../') && !target.startsWith('/'));
  for (const page of pages) expect([page, existsSync(`docs/${page}`)]).toEqual([page, true]);
});

it('no link of a page leads out of the package: who has only the tarball has every page and example', () => {
  // npm always packs these; pictures are left out, because they are larger than all the rest.
  const packed = [...files.filter((file) => !file.startsWith('!')), 'package.json', 'README.md', 'LICENSE'];
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => path.posix.join('docs', name));
  const targets = ['README.md', 'CONTRIBUTING.md', ...pages].flatMap((page) =>
    linksOf(page).map((target) => path.posix.join(path.posix.dirname(page), target.replace(/[#?].*$/, ''))),
  );
  const dead = targets.filter((target) => !packed.some((file) => target === file || target.startsWith(`${file}/`)));
  expect([...new Set(dead)]).toEqual([]);
  for (const target of targets) expect([target, existsSync(target)]).toEqual([target, true]);
});

it('a generated project names only pages that are in the package', () => {
  for (const file of ['README.md', 'AGENTS.md']) {
    const text = readFileSync(`templates/shared/${file}`, 'utf8');
    const named = [...text.matchAll(/`(?:node_modules\/concordat\/docs\/)?([a-z-]+\.md)`/g)].map(([, page]) => page);
    expect(named.length).toBeGreaterThan(1);
    for (const page of named) expect([page, existsSync(`docs/${page}`)]).toEqual([page, true]);
  }
});
