import { isConnectorError, UnauthorizedError } from 'concordat';
import { createConnector, readJson, readQuery } from 'concordat/connector';
import { z } from 'zod';
import { commentSchema, issueChangesSchema, issueQuerySchema, newIssueSchema } from './issues.js';
import { Quota, type QuotaOptions } from './quota.js';
import { Repository } from './repository.js';
import { Sessions } from './sessions.js';

export interface GitHubConnectorOptions {
  /** How long a session lives, in milliseconds. @default one hour */
  sessionMs?: number | undefined;
  /** A limit of the connector's own, for each connection; GitHub's limits count in any case. @default none */
  quota?: QuotaOptions | undefined;
  /** Gets what went wrong in the connector itself and not in the request: the place for a log. */
  onDefect?: ((error: unknown) => void) | undefined;
}

/** Gives the issues of a GitHub repository to the service, and their comments. */
export function createGitHubConnector({ sessionMs = 3_600_000, quota, onDefect }: GitHubConnectorOptions = {}) {
  const sessions = new Sessions<Repository>(sessionMs);
  const limit = quota && new Quota(quota);

  const connector = createConnector({
    initialize: {
      parameters: z.object({
        baseUrl: z.url({ protocol: /^https?$/ }),
        token: z.string().min(1),
        repository: z.string().regex(/^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/, 'must be owner/name'),
      }),
      async handler({ parameters, signal }) {
        const repository = new Repository(parameters);
        await repository.check(signal);
        return [{ key: 'x-github-session', value: sessions.open(repository), sensitive: true }];
      },
    },
    session: z.object({ 'x-github-session': z.string() }),
    verify: (session) => sessions.get(session['x-github-session']) !== undefined,
    cleanup: ({ session }) => sessions.close(session['x-github-session']),
    onError: (error) => {
      if (!isConnectorError(error)) onDefect?.(error);
    },
  });

  /** The repository that a session is for, if the quota has room for one more request. */
  function open(session: { 'x-github-session': string }): Repository {
    const repository = sessions.get(session['x-github-session']);
    if (repository === undefined) throw new UnauthorizedError('The session has ended.');
    limit?.take(repository.account);
    return repository;
  }

  connector.get('/issues', async (c) => {
    const query = await readQuery(c, issueQuerySchema);
    return c.json(await open(c.get('session')).list(query));
  });

  connector.post('/issues', async (c) => {
    const issue = await readJson(c, newIssueSchema);
    return c.json(await open(c.get('session')).create(issue), 201);
  });

  connector.get('/issues/:number{[1-9][0-9]{0,9}}', async (c) => {
    return c.json(await open(c.get('session')).get(Number(c.req.param('number'))));
  });

  connector.patch('/issues/:number{[1-9][0-9]{0,9}}', async (c) => {
    const changes = await readJson(c, issueChangesSchema);
    return c.json(await open(c.get('session')).update(Number(c.req.param('number')), changes));
  });

  connector.get('/issues/:number{[1-9][0-9]{0,9}}/comments', async (c) => {
    return c.json(await open(c.get('session')).comments(Number(c.req.param('number'))));
  });

  connector.post('/issues/:number{[1-9][0-9]{0,9}}/comments', async (c) => {
    const { body } = await readJson(c, commentSchema);
    await open(c.get('session')).comment(Number(c.req.param('number')), body);
    return c.body(null, 204);
  });

  connector.patch('/comments/:id{[1-9][0-9]{0,9}}', async (c) => {
    const { body } = await readJson(c, commentSchema);
    await open(c.get('session')).updateComment(Number(c.req.param('id')), body);
    return c.body(null, 204);
  });

  return connector;
}
