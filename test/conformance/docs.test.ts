import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runConformance } from 'concordat/conformance';
import { describe, expect, it } from 'vitest';

const page = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../../docs', name), 'utf8');

describe('docs/conformance.md', () => {
  it('lists every case as it is, and no other', async () => {
    const { results } = await runConformance({ fetch: () => new Response(), openapi: { document: '/openapi.json' } });
    const rows = page('conformance.md')
      .split('\n')
      .filter((line) => /^- \[`[a-z-]+\.[a-z-]+`/.test(line));
    expect(rows).toEqual(
      results.map(({ id, rule, title, severity }) => {
        const note = severity === 'warning' ? ' (warning)' : '';
        return `- [\`${id}\`](rules.md#${rule.toLowerCase()})${note}: ${title}`;
      }),
    );
  });

  it('leads to rules that are there', () => {
    const anchors = [...page('conformance.md').matchAll(/rules\.md#(\w+)/g)].map((match) => match[1]);
    for (const anchor of anchors) expect(page('rules.md')).toContain(`id="${anchor}"`);
  });
});
