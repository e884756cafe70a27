import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The files in docs/images that README.md and the pages of docs show. */
export function imagesShown(): Set<string> {
  const pages = ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  );
  const texts = ['README.md', ...pages].map((file) => readFileSync(path.join(root, file), 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/\bimages\/([\w-]+\.\w+)/g)].map(([, name]) => name as string)),
  );
}
