import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { channelNames } from './helpers/channels.js';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/observability.md', root), 'utf8');
const source = ['tracing', 'measuring', 'attributes']
  .map((name) => readFileSync(new URL(`src/integrations/opentelemetry/${name}.ts`, root), 'utf8'))
  .join('\n');
const named = new Set(
  source.match(/'(?:concordat|http|server|url|error)\.[a-z_.]+'/g)?.map((name) => name.slice(1, -1)),
);

describe('docs/observability.md', () => {
  it.each(channelNames)('describes %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  });

  it.each([...named].filter((name) => !name.endsWith('method_original')))('describes %s', (name) => {
    expect(page).toContain(`\`${name}\``);
  });

  it('the names are really found (control)', () => {
    expect(named.size).toBeGreaterThan(20);
    expect(page).not.toContain('`concordat.client.no_such_metric`');
  });
});
