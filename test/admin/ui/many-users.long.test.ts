import { expect, it } from 'vitest';
import { tags, textOf } from './helpers/html.js';
import { namesOf, signedInAmongMany } from './helpers/many-users.js';
import type { Visitor } from './helpers/visitor.js';

const nextOf = ({ page }: Visitor) =>
  tags(page.html, 'a')
    .find((tag) => tag.get('rel') === 'next')
    ?.get('href');

it('5,000 users are on 200 pages by name, each on one', async () => {
  const { visitor } = await signedInAmongMany();
  await visitor.open('/users');
  expect(textOf(visitor.page.html)).toContain('1–25 of 5,000 users.');
  const seen = [...namesOf(visitor)];
  for (let next = nextOf(visitor); next !== undefined; next = nextOf(visitor)) {
    await visitor.open(next);
    seen.push(...namesOf(visitor));
  }
  expect(visitor.page.path).toBe('/users?page=200');
  expect(new Set(seen).size).toBe(5000);
  expect(seen).toEqual([...seen].sort());
}, 300_000);
