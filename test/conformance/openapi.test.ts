import { readFileSync } from 'node:fs';
import { errorPayloadSchema, errorTable, parseWait } from 'concordat';
import { createConnector, rateLimited } from 'concordat/connector';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { buildContractDocument } from '../../scripts/contract-document.js';
import { onDisk, openApiDocuments } from '../../scripts/generate-openapi.js';

const text = readFileSync(onDisk('docs/openapi/connector-contract.yaml'), 'utf8');
const document = parse(text) as ReturnType<typeof buildContractDocument>;

type Node = Record<string, unknown>;
type Schema = Parameters<typeof z.fromJSONSchema>[0];

/** Every value under a name, at any depth. */
function find(node: unknown, name: string): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [...(key === name ? [value] : []), ...find(value, name)]);
}

it.each(Object.entries(openApiDocuments))(
  '%s is what the code generates: otherwise run `npm run openapi`',
  (file, generate) => {
    expect(readFileSync(onDisk(file), 'utf8')).toBe(generate());
  },
);

describe('docs/openapi/connector-contract.yaml', () => {
  it('has an example for each row of the error table (E2), and each is a contract body (E1)', () => {
    const examples = [
      ...find(document.components.responses, 'example'),
      ...find(document.components.responses, 'value'),
    ];
    const codes = examples.map((example) => errorPayloadSchema.parse(example).errors.code);
    expect(codes.sort()).toEqual(
      Object.values(errorTable)
        .map(({ code }) => code)
        .sort(),
    );
  });

  it('refers to nothing that is not there', () => {
    const references = [...text.matchAll(/\$ref: "?'?#\/([\w/-]+)/g)].map((match) => match[1] as string);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const target = reference.split('/').reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
      expect(target, reference).toBeDefined();
    }
  });

  it('takes the waits that the client reads by default, and no other (W4)', () => {
    const pattern = new RegExp(document.components.headers.RetryAfter.schema.pattern);
    const now = Date.parse('2026-11-30T12:00:00Z');
    const written = [
      ...['0', '30', 'Tue, 01 Dec 2026 08:00:30 GMT', 'Tuesday, 01-Dec-26 08:00:30 GMT', 'Tue Dec  1 08:00:30 2026'],
      'Tue Dec 15 08:00:30 2026',
      'Tue, 1 Dec 2026 08:00:30 GMT', // Java's RFC_1123_DATE_TIME does not pad the day
      ...['Tuesday, 1-Dec-26 08:00:30 GMT', 'Tue Dec 1 08:00:30 2026', 'Tue, 01 Dec 2026 08:00:30 +0000', '1.5', '-1'],
      ...['2026-12-01T08:00:30Z', '2026-12-01 08:00:30', 'Tue, 01 Dec 2026', ''],
    ];
    const taken = written.filter((value) => pattern.test(value));
    expect(taken).toEqual(written.filter((value) => parseWait(value, { format: 'auto', now }).waitMs !== undefined));
    expect(taken).toHaveLength(6);
  });

  it("describes what a connector really answers: its schema is as strict as the code's (E1)", async () => {
    const { additionalProperties, required } = find(document.components.schemas.Error, 'errors')[0] as Node;
    expect({ additionalProperties, required }).toEqual({ additionalProperties: false, required: ['code', 'message'] });
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-session': 'a' }) },
      session: z.object({ 'x-session': z.string() }),
    });
    connector.get('/limited', () => rateLimited({ retryAfterMs: 1000 }));
    const session = await connector.request('/initialize', { method: 'POST', body: '[]' });
    expect(
      z.fromJSONSchema(document.components.schemas.Session as Schema).safeParse(await session.json()).success,
    ).toBe(true);
    const error = await connector.request('/limited', { headers: { 'x-session': 'a' } });
    expect(error.headers.get('retry-after')).toMatch(new RegExp(document.components.headers.RetryAfter.schema.pattern));
    const schema = z.fromJSONSchema(document.components.schemas.Error as Schema);
    expect(schema.safeParse(await error.json()).success).toBe(true);
    expect(schema.safeParse({ errors: { code: 1, message: 'm' } }).success).toBe(false);
  });
});
