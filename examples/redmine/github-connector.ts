import { isConnectorError, UnauthorizedError } from 'concordat';
import { createConnector, endSystemFetch, readJson, readQuery } from 'concordat/connector';
import { z } from 'zod';
import { issueChangesSchema, issueQuerySchema, newIssueSchema } from '../github/issues.js';
import { type Connection, Repository } from '../github/repository.js';
import { Sessions } from '../github/sessions.js';
import { commentSchema } from './issues.js';

const gitHubFetch = endSystemFetch({ preset: 'github' });
const pageSize = 100;

const commentsSchema = z.array(z.object({ id: z.number(), body: z.string().nullish() }));

/** The comments of one GitHub repository; its issues are read and written by {@link Repository}. */
class Comments {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor({ baseUrl, token, repository }: Connection) {
    this.#url = `${baseUrl.replace(/\/+$/, '')}/repos/${repository}/issues`;
    this.#headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'concordat-github-connector',
      'x-github-api-version': '2022-11-28',
    };
  }

  async list(number: number): Promise<{ id: number; body: string }[]> {
    const comments: { id: number; body: string }[] = [];
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ per_page: String(pageSize), page: String(page) });
      const response = await this.#send('GET', `/${number}/comments?${query}`);
      const found = commentsSchema.parse(await response.json());
      comments.push(...found.map(({ id, body }) => ({ id, body: body ?? '' })));
      if (found.length < pageSize) return comments;
    }
  }

  async create(number: number, body: string): Promise<void> {
    await this.#send('POST', `/${number}/comments`, { body });
  }

  async update(id: number, body: string): Promise<void> {
    await this.#send('PATCH', `/comments/${id}`, { body });
  }

  #send(method: string, path: string, json?: object): Promise<Response> {
    return gitHubFetch(this.#url + path, {
      method,
      headers: this.#headers,
      ...(json && { body: JSON.stringify(json) }),
    });
  }
}

/** The GitHub connector of `examples/github`, with comments. */
export function createGitHubConnector({ onDefect }: { onDefect?: (error: unknown) => void } = {}) {
  const sessions = new Sessions<{ issues: Repository; comments: Comments }>(3_600_000);

  const connector = createConnector({
    initialize: {
      parameters: z.object({
        baseUrl: z.url({ protocol: /^https?$/ }),
        token: z.string().min(1),
        repository: z.string().regex(/^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/, 'must be owner/name'),
      }),
      async handler({ parameters, signal }) {
        const issues = new Repository(parameters);
        await issues.check(signal);
        const id = sessions.open({ issues, comments: new Comments(parameters) });
        return [{ key: 'x-github-session', value: id, sensitive: true }];
      },
    },
    session: z.object({ 'x-github-session': z.string() }),
    cleanup: ({ session }) => sessions.close(session['x-github-session']),
    onError: (error) => {
      if (!isConnectorError(error)) onDefect?.(error);
    },
  });

  function open(session: { 'x-github-session': string }) {
    const opened = sessions.get(session['x-github-session']);
    if (opened === undefined) throw new UnauthorizedError('The session has ended.');
    return opened;
  }

  connector.get('/issues', async (c) => {
    const query = await readQuery(c, issueQuerySchema);
    return c.json(await open(c.get('session')).issues.list(query));
  });

  connector.post('/issues', async (c) => {
    const issue = await readJson(c, newIssueSchema);
    return c.json(await open(c.get('session')).issues.create(issue), 201);
  });

  connector.patch('/issues/:number{[1-9][0-9]{0,9}}', async (c) => {
    const changes = await readJson(c, issueChangesSchema);
    return c.json(await open(c.get('session')).issues.update(Number(c.req.param('number')), changes));
  });

  connector.get('/issues/:number{[1-9][0-9]{0,9}}/comments', async (c) => {
    return c.json(await open(c.get('session')).comments.list(Number(c.req.param('number'))));
  });

  connector.post('/issues/:number{[1-9][0-9]{0,9}}/comments', async (c) => {
    const { body } = await readJson(c, commentSchema);
    await open(c.get('session')).comments.create(Number(c.req.param('number')), body);
    return c.body(null, 204);
  });

  connector.patch('/comments/:id{[1-9][0-9]{0,9}}', async (c) => {
    const { body } = await readJson(c, commentSchema);
    await open(c.get('session')).comments.update(Number(c.req.param('id')), body);
    return c.body(null, 204);
  });

  return connector;
}
