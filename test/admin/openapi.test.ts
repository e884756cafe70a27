import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type Answer, basic, inDays, startAdmin } from './helpers/admin-host.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at as it is
type Json = any;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

async function readDocument(basePath = ''): Promise<Json> {
  const host = await startAdmin({ admin: { basePath } });
  const answer = await host.send({ path: `${basePath}/api/v1/openapi.json` });
  expect(answer.status).toBe(200);
  return answer.body;
}

interface DocumentedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

function operationsOf(document: Json): DocumentedOperation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  );
}

/** Every object in a document with the place where it stands. */
function* walk(value: Json, place = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, value];
  for (const [key, child] of Object.entries(value)) yield* walk(child, `${place}/${key}`);
}

function resolve(document: Json, reference: string): Json {
  return reference
    .split('/')
    .slice(1)
    .reduce((value: Json, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

/** Problems that a linter of OpenAPI documents would report. */
function lint(document: Json): string[] {
  const problems: string[] = [];
  const check = (holds: unknown, problem: string) => {
    if (!holds) problems.push(problem);
  };
  check(/^3\.1\.\d$/.test(document.openapi), 'openapi is not 3.1');
  for (const field of ['title', 'version', 'description', 'license']) check(document.info[field], `info.${field}`);
  check(document.servers?.length > 0, 'servers');
  for (const [place, value] of walk(document)) {
    if (typeof value.$ref === 'string') check(resolve(document, value.$ref), `${place}: ${value.$ref} leads nowhere`);
  }
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  check(new Set(ids).size === ids.length, 'operationId is not unique');
  const tags = new Set(document.tags.map((tag: Json) => tag.name));
  for (const { path, method, operation } of operationsOf(document)) {
    const name = `${method} ${path}`;
    for (const field of ['operationId', 'summary', 'description']) check(operation[field], `${name}: no ${field}`);
    check(
      operation.tags?.every((tag: string) => tags.has(tag)),
      `${name}: tags`,
    );
    for (const security of operation.security ?? document.security) {
      for (const scheme of Object.keys(security))
        check(document.components.securitySchemes[scheme], `${name}: ${scheme}`);
    }
    const parameters = [...(document.paths[path].parameters ?? []), ...(operation.parameters ?? [])];
    const inPath = parameters.filter((parameter: Json) => parameter.in === 'path');
    check(
      inPath.every((parameter: Json) => parameter.required),
      `${name}: a path parameter is not required`,
    );
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    check(String(inPath.map((parameter: Json) => parameter.name).sort()) === String(named), `${name}: path parameters`);
    const statuses = Object.keys(operation.responses);
    check(
      statuses.some((status) => status.startsWith('2')),
      `${name}: no success`,
    );
    check(
      statuses.some((status) => status.startsWith('4')),
      `${name}: no client error`,
    );
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      check(response.description, `${name} ${status}: no description`);
      const contents = Object.values<Json>(response.content ?? {});
      check(contents.length > 0 && contents.every(({ schema }) => schema), `${name} ${status}: no schema`);
    }
  }
  const validatorOf = validators(document);
  for (const [place, value] of walk(document)) {
    const { schema, example } = value;
    if (schema === undefined || typeof schema !== 'object' || example === undefined) continue;
    try {
      const validate = validatorOf(schema);
      check(validate(example), `${place}: the example does not match: ${JSON.stringify(validate.errors)}`);
    } catch (error) {
      problems.push(`${place}: the schema is none: ${error}`);
    }
  }
  return problems;
}

type Validate = ReturnType<Ajv2020['compile']>;

/** Compiles schemas of a document, each of them once. */
function validators(document: Json): (schema: Json) => Validate {
  const compiled = new Map<string, Validate>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    addFormats.default(ajv);
    const validate = ajv.compile(relocated({ ...schema, $defs: document.components.schemas }));
    compiled.set(text, validate);
    return validate;
  };
}

/** References into the document, as references into the schema; here objects have no members but the documented ones. */
function relocated(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/');
  return JSON.parse(text, (_name, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
}

describe('the OpenAPI document', () => {
  it('keeps the rules of a linter, and every example matches its schema', async () => {
    expect(lint(await readDocument())).toEqual([]);
  });

  it.each<[string, (document: Json) => void, RegExp]>([
    ['a reference that leads nowhere', (document) => delete document.components.schemas.Me, /leads nowhere/],
    [
      'two operations of one name',
      (d) => Object.assign(d.paths['/me'].get, { operationId: 'listAudits' }),
      /not unique/,
    ],
    [
      'an example that does not match',
      (document) => {
        const { post } = document.paths['/api-keys'];
        post.responses['201'].content['application/json'].example.name = 7;
      },
      /example does not match/,
    ],
    [
      'a path parameter that is not declared',
      (d) => Object.assign(d.paths['/api-keys/{id}'], { parameters: [] }),
      /path param/,
    ],
    ['a response without a schema', (d) => delete d.paths['/me'].get.responses['401'].content, /no schema/],
  ])('the lint finds %s (control)', async (_, spoil, problem) => {
    const document = await readDocument();
    spoil(document);
    expect(lint(document).join('\n')).toMatch(problem);
  });

  it('is open to all, says where the API is, and nothing of the installation', async () => {
    const document = await readDocument('/admin');
    expect(document.servers).toEqual([{ url: '/admin/api/v1' }]);
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.stringify(document)).not.toContain('127.0.0.1');
  });

  it('names the three ways to authenticate', async () => {
    const { components, security } = await readDocument();
    expect(
      Object.values<Json>(components.securitySchemes).map(({ type, name, scheme }) => name ?? scheme ?? type),
    ).toEqual(['x-api-key', 'Authorization', 'basic']);
    expect(security).toHaveLength(3);
  });
});

describe('the running API', () => {
  it('has every operation of the document, and answers only what is documented', async () => {
    const host = await startAdmin();
    const document = (await host.send({ path: '/api/v1/openapi.json' })).body;
    const seen = new Set<string>();
    const validatorOf = validators(document);
    const call = async (credentials: string, method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await host.as(credentials, method, path, body);
      judge(method, path, answer);
      return answer;
    };
    const judge = (method: string, path: string, answer: Answer) => {
      const pathname = new URL(path, 'http://host').pathname.replace(/^(\/api-keys\/)[^/]+/, '$1{id}');
      const operation = document.paths[pathname]?.[method.toLowerCase()];
      const place = `${method} ${pathname} ${answer.status}`;
      const response = operation?.responses[answer.status];
      expect(response, place).toBeDefined();
      for (const name of Object.keys(response.headers)) expect(answer.headers[name.toLowerCase()], place).toBeTruthy();
      const type = String(answer.headers['content-type']).split(';')[0] as string;
      const validate = validatorOf(response.content[type].schema);
      expect(validate(answer.body ?? answer.text), `${place}: ${JSON.stringify(validate.errors)}\n${answer.text}`).toBe(
        true,
      );
      seen.add(`${operation.operationId} ${answer.status}`);
    };

    const created = await call('alice', 'POST', '/api-keys', { name: 'Export', expiresOn: inDays(9) });
    const { id, key } = created.body;
    await call('alice', 'POST', '/api-keys', {});
    for (const [method, path] of [
      ['POST', '/api-keys'],
      ['PATCH', `/api-keys/${id}`],
      ['POST', `/api-keys/${id}/revoke`],
    ] as const) {
      const headers = [...basic('alice'), 'sec-fetch-site', 'cross-site'];
      judge(method, path, await host.send({ method, path: `/api/v1${path}`, headers, body: {} }));
    }
    await call(key, 'GET', '/api-keys?total=true&limit=5');
    await call('alice', 'GET', '/api-keys?sort=color');
    await call('alice', 'GET', '/api-keys?scope=all');
    await call(key, 'GET', `/api-keys/${id}`);
    await call('bob', 'GET', `/api-keys/${id}`);
    await call('alice', 'PATCH', `/api-keys/${id}`, { name: 'Import', version: 1 });
    await call('alice', 'PATCH', `/api-keys/${id}`, { name: '' });
    await call('bob', 'PATCH', `/api-keys/${id}`, { name: 'Mine' });
    await call(key, 'GET', '/me');
    await call('alice', 'GET', '/me');
    await call('bob', 'POST', `/api-keys/${id}/revoke`);
    await call(key, 'POST', `/api-keys/${id}/revoke`);
    await call('alice', 'POST', `/api-keys/${id}/revoke`);
    await call('alice', 'PATCH', `/api-keys/${id}`, { name: 'Export' });
    await call('root', 'GET', '/audits');
    await call('alice', 'GET', '/audits?cursor=x');
    await call('alice', 'GET', '/audits?scope=all');
    await call('bob', 'GET', `/audits?apiKeyId=${id}`);
    for (const format of ['csv', 'ndjson']) await call('root', 'GET', `/audits/export?format=${format}`);
    await call('alice', 'GET', '/audits/export');
    await call('alice', 'GET', '/audits/export?format=csv&scope=all');
    await call('bob', 'GET', `/audits/export?format=csv&apiKeyId=${id}`);
    const requests = operationsOf(document).map(({ method, path }) => [method.toUpperCase(), path.replace('{id}', id)]);
    for (const [method, path] of requests as [string, string][]) await call('ck_wrong', method, path);
    for (let count = 0; count < 5; count++) await host.as('ck_wrong', 'GET', '/me');
    for (const [method, path] of requests as [string, string][]) await call('ck_wrong', method, path);
    await host.clock.advance(60_000);
    await host.apiKeys.close();
    for (const [method, path] of requests as [string, string][]) {
      const headers = ['x-api-key', key];
      const query = path.endsWith('/export') ? '?format=csv' : '';
      judge(method, path, await host.send({ method, path: `/api/v1${path}${query}`, headers }));
    }

    // 503 needs hundreds of password checks under way: test/regressions/0008 has it.
    const documented = operationsOf(document).flatMap(({ operation }) =>
      Object.keys(operation.responses).flatMap((status) =>
        status === '503' ? [] : [`${operation.operationId} ${status}`],
      ),
    );
    expect([...seen].sort()).toEqual(documented.sort());
  });

  it('lets a later version add members, which readers ignore', async () => {
    expect(JSON.stringify(await readDocument())).not.toContain('additionalProperties');
  });

  it('has no method that is not in the document', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    const document = (await host.send({ path: '/api/v1/openapi.json' })).body;
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const answer = await host.as(key, 'TRACE', path.replace('{id}', 'AAAAAAAAAAAA'));
      const allowed = String(answer.headers.allow)
        .split(', ')
        .filter((method) => method !== 'HEAD');
      const documented = methods.filter((method) => item[method]).map((method) => method.toUpperCase());
      expect(allowed.sort(), path).toEqual(documented.sort());
    }
  });
});
