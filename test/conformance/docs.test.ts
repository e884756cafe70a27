import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runConformance } from 'concordat/conformance';
import { describe, expect, it } from 'vitest';

const page = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../../docs', name), 'utf8');

describe('docs/conformance.md', () => {
  it('lists every case as it is, and no other', async () => {
    const { results } = await runConformance({ fetch: () => new Response(), openapi: { document: '/openapi.json' } });
    const listed = page('conformance.md').matchAll(/\[`[a-z-]+\.[a-z-]+`\]\(rules\.md#\w+\)\*?/g);
    expect([...listed].map(([text]) => text)).toEqual(
      results.map(({ id, rule, severity }) => {
        return `[\`${id}\`](rules.md#${rule.toLowerCase()})${severity === 'warning' ? '*' : ''}`;
      }),
    );
  });

  it('leads to rules that are there', () => {
    const anchors = [...page('conformance.md').matchAll(/rules\.md#(\w+)/g)].map((match) => match[1]);
    for (const anchor of anchors) expect(page('rules.md')).toContain(`id="${anchor}"`);
  });
});
