import { type CaseResult, conformance, runConformance } from 'concordat/conformance';
import type { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { document, documentedConnector } from './helpers/documented-connector.js';

type Options = Partial<Parameters<typeof runConformance>[0]>;

/** The results of the generated cases, and what was sent. */
async function check(options: Options = {}, change?: (app: Hono) => void) {
  const { url, asked, probes } = await documentedConnector(change);
  const openapi = { document: '/openapi.json' };
  const report = await runConformance({ baseUrl: url, probes, openapi, ...options });
  const results = report.results.filter(({ id }) => id.startsWith('openapi.'));
  return { results, asked, report };
}

const failed = (results: CaseResult[]) => results.filter(({ status }) => status === 'failed').map(({ id }) => id);
const messages = (results: CaseResult[]) => results.flatMap(({ problems }) => problems.map(({ message }) => message));
const error = (status: number, code = 'WRONG') => Response.json({ errors: { code, message: 'Wrong' } }, { status });
const hasNumber = (text: string) => /^\d+$/.test(text);

describe('a connector that does what its OpenAPI document says', () => {
  it('passes every generated case, and nothing that may write is sent', async () => {
    const { results, asked, report } = await check();
    expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'openapi.document passed',
      'openapi.session passed',
      'openapi.server-error passed',
      'openapi.refusal passed',
      'openapi.body passed',
    ]);
    expect(report.ok).toBe(true);
    for (const sent of ['GET /loans?state=open&limit=', 'GET /loans?state=concordat-', 'GET /loans/concordat-'])
      expect(asked.some((line) => line.startsWith(sent))).toBe(true);
    expect(asked).toContain('GET /loans');
    expect(asked.filter((line) => /^(?:POST|PUT|PATCH|DELETE) (?!\/initialize)/.test(line))).toEqual([]);
    expect(asked.filter((line) => line === 'GET /health')).toEqual([]);
  });

  it('passes with `allowWrites` too, and then wrong bodies are sent', async () => {
    const bodies: string[] = [];
    const { results } = await check({ allowWrites: true }, (app) => {
      app.use('/loans', async (c, next) => {
        if (c.req.method === 'POST') bodies.push(await c.req.raw.clone().text());
        await next();
      });
    });
    expect(failed(results)).toEqual([]);
    const sent = bodies.map((body) => JSON.parse(body));
    expect(sent).toContainEqual({ book: expect.any(String) }); // `reader` is missing
    expect(sent.some((body) => body?.book?.length === 41)).toBe(true);
    expect(sent.some((body) => typeof body?.until === 'object')).toBe(true);
  });

  it('takes the document itself, of OpenAPI 3.0 too', async () => {
    const { results, asked } = await check({ openapi: { document: { ...document, openapi: '3.0.3' } } });
    expect(results.every(({ status }) => status === 'passed')).toBe(true);
    expect(asked).not.toContain('GET /openapi.json');
  });

  it('without a document there are no such cases', async () => {
    const { results } = await check({ openapi: undefined });
    expect(results).toEqual([]);
  });
});

interface Wrong {
  what: string;
  change: (app: Hono) => void;
  caught: string;
  shows: RegExp;
  /** The same but for the defect. */
  control: (app: Hono) => void;
}

const hasSession = (headers: Headers) => headers.get('x-session') === 'a-session-for-tests';
/** A route that comes before the connector's, and so has to look for the session itself. */
const guarded = (answer: (url: URL, number: string) => Response | undefined) => (app: Hono) => {
  app.get('/loans/:number?', async (c, next) => {
    if (!hasSession(c.req.raw.headers)) return next();
    const response = answer(new URL(c.req.url), c.req.param('number') ?? '');
    return response ?? next();
  });
};

const wrongs: Wrong[] = [
  {
    what: 'fails on a number that is none',
    change: guarded(({ searchParams }) => (searchParams.get('limit')?.includes('concordat') ? error(500) : undefined)),
    caught: 'openapi.server-error',
    shows: /^GET \/loans\?\S+: 500; `limit` in the query is "concordat-no-such-value".* expected 400/m,
    control: guarded(({ searchParams }) => (searchParams.get('limit')?.includes('concordat') ? error(400) : undefined)),
  },
  {
    what: 'refuses with a status that the contract does not have',
    change: guarded((_url, number) => (number !== '' && !hasNumber(number) ? error(422) : undefined)),
    caught: 'openapi.refusal',
    shows: /^GET \/loans\/concordat-no-such-value: 422; `number` in the path .* expected 400, 403 or 404$/m,
    control: guarded((_url, number) => (number !== '' && !hasNumber(number) ? error(404) : undefined)),
  },
  {
    what: 'serves what its document does not allow',
    change: guarded(({ searchParams }, number) =>
      number !== '' || searchParams.get('state') === 'open' ? undefined : Response.json([]),
    ),
    caught: 'openapi.refusal',
    shows: /^GET \/loans: 200; `state` is missing in the query; expected 400 or 403$/m,
    control: guarded(({ searchParams }, number) =>
      number !== '' || searchParams.get('state') === 'open' ? undefined : error(400),
    ),
  },
  {
    what: 'takes a wrong parameter for an expired session',
    change: guarded((_url, number) => (number !== '' && !hasNumber(number) ? error(401) : undefined)),
    caught: 'openapi.refusal',
    shows: /concordat-no-such-value: 401; /m,
    control: guarded((_url, number) => (number !== '' && !hasNumber(number) ? error(403) : undefined)),
  },
  {
    what: 'refuses with the page of its framework',
    change: guarded((_url, number) =>
      number !== '' && !hasNumber(number) ? new Response('<h1>Bad Request</h1>', { status: 400 }) : undefined,
    ),
    caught: 'openapi.body',
    shows: /^GET \/loans\/concordat-no-such-value: 400: the body is not JSON/m,
    control: guarded((_url, number) => (number !== '' && !hasNumber(number) ? error(400) : undefined)),
  },
  {
    what: 'has a route that asks for no session',
    change: (app) => app.get('/readers/:name', (c) => c.json({ name: c.req.param('name') })),
    caught: 'openapi.session',
    shows: /^GET \/readers\/\S+: 200; it is sent without a session; expected 401$/m,
    control: (app) =>
      app.get('/readers/:name', (c) =>
        hasSession(c.req.raw.headers) ? c.json({ name: c.req.param('name') }) : error(401),
      ),
  },
  {
    what: 'hands out a document that is no JSON',
    change: (app) => app.get('/openapi.json', (c) => c.text('openapi: 3.1.0')),
    caught: 'openapi.document',
    shows: /^GET \/openapi\.json: the OpenAPI document is not JSON/m,
    control: (app) => app.get('/openapi.json', (c) => c.json(document)),
  },
];

describe('a connector that', () => {
  it.each(wrongs)('$what is caught, with the request, and nothing else is reported', async (wrong) => {
    const { results, report } = await check({}, wrong.change);
    expect(failed(report.results)).toEqual([wrong.caught]);
    expect(messages(results).join('\n')).toMatch(wrong.shows);
    const [problem] = results.find(({ id }) => id === wrong.caught)?.problems ?? [];
    expect(problem?.seen?.request.method).toBe('GET');
  });

  it.each(wrongs)('$what: not if it does not (control)', async ({ control }) => {
    expect(failed((await check({}, control)).report.results)).toEqual([]);
  });

  it('writes wrong bodies with `allowWrites` only', async () => {
    const change = (app: Hono) => {
      app.post('/loans', async (c, next) => {
        if (!hasSession(c.req.raw.headers)) return next();
        const body = (await c.req.raw.clone().json()) as { book?: unknown } | null;
        return typeof body?.book === 'object' ? error(500) : next();
      });
    };
    expect(failed((await check({}, change)).results)).toEqual([]);
    const { results } = await check({ allowWrites: true }, change);
    expect(failed(results)).toEqual(['openapi.server-error']);
    expect(messages(results)[0]).toMatch(/^POST \/loans: 500; `book` in the body is /);
  });
});

describe('how much is sent', () => {
  /** Sixty operations with a wrong parameter each. */
  const many = {
    ...document,
    paths: Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `/loans/${index}/{number}`,
        {
          get: { parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }] },
        },
      ]),
    ),
  };
  const sentFor = async (openapi: Options['openapi']) =>
    (await check({ openapi })).asked.filter((line) => /\/loans\/\d+\/./.test(line));

  it('is at most 100 requests, and the same ones each time', async () => {
    const first = await sentFor({ document: many });
    expect(first).toHaveLength(100);
    expect(await sentFor({ document: many })).toEqual(first);
  });

  it('is up to `requests`; another `seed` takes others', async () => {
    const first = await sentFor({ document: many, requests: 10 });
    expect(first).toHaveLength(10);
    expect(new Set(await sentFor({ document: many, requests: 10, seed: 2 }))).not.toEqual(new Set(first));
  });

  it('waits out a rate limit, and sends again', async () => {
    let count = 0;
    const { results, report } = await check({}, (app) => {
      app.use('/loans/*', async (_c, next) => {
        count++;
        if (count % 3 !== 0) return next();
        return new Response(JSON.stringify({ errors: { code: 'SLOW', message: 'Slow down' } }), {
          status: 403,
          headers: { 'content-type': 'application/json', 'retry-after': '1' },
        });
      });
    });
    expect(failed(results)).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it('logs in again when the session has ended', async () => {
    let logins = 0;
    let requests = 0;
    const { results } = await check({}, (app) => {
      app.use('/initialize', async (_c, next) => {
        logins++;
        requests = 0;
        await next();
      });
      app.get('/loans/:number?', async (c, next) => {
        if (!hasSession(c.req.raw.headers)) return next();
        return ++requests > 4 ? error(401, 'EXPIRED') : next();
      });
    });
    expect(failed(results)).toEqual([]);
    expect(logins).toBeGreaterThan(2);
  });
});

/** The document with other paths, and more schemas. */
function documentWith(paths: object, schemas: object = {}) {
  const { components } = document;
  return { ...document, paths, components: { ...components, schemas: { ...components.schemas, ...schemas } } };
}

const postOf = (schema: object) => ({ post: { requestBody: { content: { 'application/json': { schema } } } } });

/** The bodies that `POST /loans` gets with a session. */
async function posted(openapiDocument: object) {
  const bodies: string[] = [];
  const checked = await check({ allowWrites: true, openapi: { document: openapiDocument } }, (app) => {
    app.post('/loans', async (c, next) => {
      if (hasSession(c.req.raw.headers)) bodies.push(await c.req.raw.clone().text());
      return next();
    });
  });
  return { ...checked, bodies: bodies.map((body) => JSON.parse(body)) };
}

describe('a property that is `readOnly`', () => {
  const { NewLoan } = document.components.schemas;
  const Loan = {
    ...NewLoan,
    required: [...NewLoan.required, 'id', 'created'],
    additionalProperties: false,
    properties: {
      ...NewLoan.properties,
      id: { type: 'integer', readOnly: true },
      created: { $ref: '#/components/schemas/Created' },
    },
  };
  const Created = { type: 'string', readOnly: true };
  const Extended = { allOf: [{ $ref: '#/components/schemas/Loan' }, { type: 'object', required: ['book'] }] };

  it.each(['Loan', 'Extended'])('need not be in a request: %s', async (name) => {
    const paths = { '/loans': postOf({ $ref: `#/components/schemas/${name}` }) };
    const { results, bodies } = await posted(documentWith(paths, { Loan, Created, Extended }));
    expect(messages(results)).toEqual([]);
    expect(bodies).toContainEqual({ book: expect.any(String) }); // `reader` is missing
    expect(bodies.filter((body) => body !== null && (Object.hasOwn(body, 'id') || 'created' in Object(body)))).toEqual(
      [],
    );
  });
});

describe('an operation that takes no JSON', () => {
  const number = { name: 'number', in: 'path', required: true, schema: { type: 'integer' } };
  const openapiFor = (type: string) => {
    const requestBody = { required: true, content: { [type]: { schema: { type: 'object' } } } };
    return { document: documentWith({ '/files/{number}': { post: { parameters: [number], requestBody } } }) };
  };
  const checkUpload = (type: string, withoutSession: Response) =>
    check({ allowWrites: true, openapi: openapiFor(type) }, (app) => {
      app.post('/files/:number', (c) => (hasSession(c.req.raw.headers) ? error(415) : withoutSession.clone()));
    });
  const types = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json-seq'];

  it.each(types)('but %s only gets a request without a session: any other would lack its body, too', async (type) => {
    const { results, asked } = await checkUpload(type, error(401));
    expect(messages(results)).toEqual([]);
    expect(asked.filter((line) => line.startsWith('POST /files/'))).toEqual(['POST /files/1']);
  });

  it('still has to ask for a session', async () => {
    const { results } = await checkUpload('multipart/form-data', Response.json({}));
    expect(failed(results)).toEqual(['openapi.session']);
  });
});

it.each(['application/vnd.api+json', 'application/merge-patch+json', 'application/json; charset=utf-8'])(
  'a JSON body has the content type of the document: %s',
  async (type) => {
    const schema = { $ref: '#/components/schemas/NewLoan' };
    const paths = { '/loans': { post: { requestBody: { content: { [type]: { schema } } } } } };
    const openapi = { document: documentWith(paths) };
    const { results, asked } = await check({ allowWrites: true, openapi }, (app) => {
      app.post('/loans', (c) => {
        if (!hasSession(c.req.raw.headers)) return error(401);
        return error(c.req.header('content-type') === type ? 400 : 415);
      });
    });
    expect(messages(results)).toEqual([]);
    expect(asked).toContain('POST /loans');
  },
);

describe('`servers`', () => {
  const at = (url: string, variables?: object) => ({ servers: [{ url, variables }] });
  const loans = document.paths['/loans'].get;
  const named = at('https://{host}/{base}/v{version}', {
    host: { default: 'example.com' },
    base: { default: 'api', enum: ['api', 'beta'] },
    version: { default: 2 }, // as YAML reads it
  });

  it.each([
    ['with variables have their defaults', named, {}, {}, '/api/v2/loans'],
    ['with a variable that nothing declares have no path', at('/{base}'), {}, {}, '/loans'],
    ['of a path replace those of the document', at('/a'), at('/b/'), {}, '/b/loans'],
    ['of an operation replace both', at('/a'), at('/b'), at('/c'), '/c/loans'],
    ['that are empty replace none', at('/a'), { servers: [] }, {}, '/a/loans'],
  ])('%s', async (_what, ofDocument, ofPath, ofOperation, path) => {
    const paths = { '/loans': { ...ofPath, get: { ...loans, ...ofOperation } } };
    const { asked } = await check({ openapi: { document: { ...documentWith(paths), ...ofDocument } } });
    const sent = asked.filter((line) => line.includes('?')).map((line) => line.replace(/\?.*/, ''));
    expect(new Set(sent)).toEqual(new Set([`GET ${path}`]));
  });

  it('are named where nothing is found behind their path', async () => {
    const openapi = { document: { ...documentWith({ '/loans': { get: {} } }), ...at('/a') } };
    const { results } = await check({ openapi }, (app) => app.get('/a/loans', () => error(404)));
    expect(messages(results)).toEqual([
      'GET /a/loans: 404; it is sent without a session; expected 401; "/a" comes from `servers`',
    ]);
  });
});

describe('an object in the query', () => {
  const { State } = document.components.schemas;
  const limit = { type: 'integer' };
  const of = (parameter: object) => ({ in: 'query', required: true, ...parameter });
  const where = { type: 'object', required: ['state'], properties: { state: State, limit } };

  it('has no name of its own there, so no request is wrong because of it', async () => {
    const parameters = [
      of({ name: 'where', schema: where }),
      of({ name: 'filter', style: 'deepObject', schema: { ...where, required: ['limit'] } }),
      { $ref: '#/components/parameters/limit' },
    ];
    const openapi = { document: documentWith({ '/loans': { get: { parameters } } }) };
    const { results, asked } = await check({ openapi });
    expect(messages(results)).toEqual([]);
    expect(asked).toContain('GET /loans?state=open&filter%5Blimit%5D=1&limit=concordat-no-such-value');
    expect(asked.filter((line) => /where=|filter=/.test(line))).toEqual([]);
  });

  it('has one unless it is exploded (control)', async () => {
    const parameters = [of({ name: 'where', explode: false, schema: where })];
    const { asked } = await check({ openapi: { document: documentWith({ '/loans': { get: { parameters } } }) } });
    expect(asked).toContain('GET /loans?where=concordat-no-such-value');
  });
});

describe('required headers and cookies', () => {
  const north = { type: 'string', enum: ['north'] };
  const of = (place: string, name: string, schema: object = north) => ({ name, in: place, required: true, schema });
  const parameters = [
    of('header', 'X-Tenant'),
    of('cookie', 'region'),
    ...['X-Session', 'Accept', 'Host', 'no name'].map((name) => of('header', name)),
    of('header', 'x-note', { type: 'string', default: '\u65e5' }),
    { ...of('query', 'limit', { type: 'integer' }), required: false },
  ];
  const openapi = { document: documentWith({ '/loans': { get: { parameters } } }) };
  const inTheNorth = (headers: Headers) =>
    headers.get('x-tenant') === 'north' && headers.get('cookie') === 'region=north';

  it('are sent, so that a request has one thing wrong', async () => {
    const { report } = await check({ openapi }, (app) => {
      app.get('/loans', (c) => {
        if (!hasSession(c.req.raw.headers)) return error(401);
        return inTheNorth(c.req.raw.headers) ? error(500) : error(400);
      });
    });
    expect(failed(report.results)).toEqual(['openapi.server-error']);
  });

  it('are not sent where they are the session, belong to the transport, or cannot be written', async () => {
    const seen: Headers[] = [];
    const { report } = await check({ openapi }, (app) => {
      app.get('/loans', (c) => {
        seen.push(c.req.raw.headers);
        return hasSession(c.req.raw.headers) ? error(400) : error(401);
      });
    });
    expect(failed(report.results)).toEqual([]);
    expect(new Set(seen.map((headers) => headers.get('x-session')))).toEqual(new Set([null, 'a-session-for-tests']));
    expect(seen.some((headers) => headers.get('accept') === 'north' || headers.get('host') === 'north')).toBe(false);
  });
});

describe('a document that goes round in circles', () => {
  const ref = (index: number) => ({ $ref: `#/components/schemas/Ring${index % 60}` });
  const ring = (more: object) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `Ring${index}`,
        {
          type: 'object',
          properties: {
            next: ref(index + 1),
            list: { type: 'array', items: ref(index + 3) },
            book: { type: 'string', maxLength: 40 },
          },
          ...more,
        },
      ]),
    );

  it.each([{}, { required: ['next', 'list', 'book'] }, { oneOf: [ref(1), ref(4)], example: { book: 'x' } }])(
    'by its references is used, whatever their number: %j',
    async (more) => {
      const { results, bodies } = await posted(documentWith({ '/loans': postOf(ref(0)) }, ring(more)));
      expect(messages(results)).toEqual([]);
      expect(bodies).toContainEqual(expect.objectContaining({ book: 'x'.repeat(41) }));
    },
  );

  it('by itself is used', async () => {
    const properties: Record<string, unknown> = { book: { type: 'string', maxLength: 40 } };
    const schema = { type: 'object', properties };
    Object.assign(properties, { next: schema, list: { type: 'array', items: schema } });
    const { results, bodies } = await posted(documentWith({ '/loans': postOf(schema) }));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('passed'));
    expect(bodies).toContainEqual({ book: 'x'.repeat(41) });
  });
});

it.each([
  ['openapi.json', /`openapi` must be an object/],
  [{ document: 'openapi.json' }, /`openapi\.document` must be a path of the connector such as "\/openapi\.json"/],
  [{ document: {}, request: 5 }, /`openapi\.request` is not an option: did you mean `requests`/],
] as [unknown, RegExp][])('the option %j is a TypeError that says what is expected', (openapi, message) => {
  expect(() => conformance({ baseUrl: 'http://127.0.0.1:1', openapi: openapi as never })).toThrow(message);
});

it.each([
  { 'x-source': { $ref: './file.json' }, schema: { type: 'object', 'x-from': { $ref: '#/gone' } } },
  { $id: 'https://example.com/a', schema: { $ref: '#/$defs/there' } },
  {
    there: { $ref: '#/components/schemas/more' },
    more: {},
    schema: { $ref: '#/components/schemas/there/properties/b' },
  },
])('a document whose references may be right is used: %j', async (schemas) => {
  const paths = { '/loans': { get: { parameters: [], responses: {} } } };
  const { results } = await check({ openapi: { document: { openapi: '3.1.0', paths, components: { schemas } } } });
  expect(results[0]).toMatchObject({ id: 'openapi.document', status: 'passed' });
});

it.each([
  [{ swagger: '2.0' }, '`openapi` is missing; expected 3.0, 3.1 or 3.2'],
  [{ openapi: '2.0' }, '`openapi` is "2.0"; expected 3.0, 3.1 or 3.2'],
  [{ openapi: '3.1.0', paths: {} }, '`paths` has no operation'],
  [
    {
      openapi: '3.1.0',
      paths: {
        '/a': { $ref: './a.yaml' },
        '/b~1': { get: { parameters: [{ $ref: '#/components/parameters/typo' }] } },
        '/c': { get: { parameters: [{ $ref: '#/paths/~1b~01/get/parameters/0' }, { $ref: '#/components/empty' }] } },
        '/d': { get: { responses: { 200: { example: { $ref: './data' } } } } },
      },
      components: { empty: {}, named: { $ref: '#anchor' } },
    },
    'nothing is at ./a.yaml, #/components/parameters/typo; bundle a document of several files first',
  ],
])('the document %j is reported', async (broken, problem) => {
  const { results } = await check({ openapi: { document: broken } });
  expect(messages(results)).toEqual([`the OpenAPI document cannot be used: ${problem}`]);
  expect(results.map(({ status }) => status)).toEqual(['failed', 'unjudged', 'unjudged', 'unjudged', 'unjudged']);
});
