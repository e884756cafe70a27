import { isConnectorError } from 'concordat';
import { createConnector, limitBody, readJson, readQuery } from 'concordat/connector';
import { z } from 'zod';
import {
  attachmentQuerySchema,
  commentSchema,
  issueChangesSchema,
  issueQuerySchema,
  newIssueSchema,
} from './issues.js';
import { Redmine } from './redmine.js';

export interface RedmineConnectorOptions {
  /** The root of Redmine, such as `https://redmine.example.net`; a path in it is kept. */
  url: string;
  /** Gets what went wrong in the connector itself and not in the request: the place for a log. */
  onDefect?: ((error: unknown) => void) | undefined;
}

/** How large an attachment may be is for Redmine to say, by its setting. This only bounds what is sent in vain. */
const maxAttachmentBytes = 2 * 1024 ** 3;

const sessionSchema = z.object({
  'x-redmine-project': z.coerce.number().int().positive(),
  'x-redmine-key': z.string().min(1),
});

/**
 * Gives the issues of a Redmine project to the service. It keeps nothing itself: the session is what the next request
 * needs, so any number of instances may answer, and a restart goes unnoticed. Whether a session still holds is for
 * Redmine to say, with the 401 that it answers to a key that has been reset.
 */
export function createRedmineConnector({ url, onDefect }: RedmineConnectorOptions) {
  const root = z
    .url({ protocol: /^https?$/ })
    .parse(url)
    .replace(/\/+$/, '');
  const open = (session: z.output<typeof sessionSchema>) =>
    new Redmine(root, { projectId: session['x-redmine-project'], apiKey: session['x-redmine-key'] });

  const connector = createConnector({
    initialize: {
      parameters: z.object({
        username: z.string().min(1),
        password: z.string().min(1),
        project: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, 'must be the identifier of a project'),
      }),
      async handler({ parameters, signal }) {
        const { projectId, apiKey } = await Redmine.logIn(root, parameters, signal);
        return [
          { key: 'x-redmine-project', value: String(projectId), sensitive: false },
          { key: 'x-redmine-key', value: apiKey, sensitive: true },
        ];
      },
    },
    session: sessionSchema,
    onError: (error) => {
      if (!isConnectorError(error)) onDefect?.(error);
    },
  });

  connector.get('/users', async (c) => c.json(await open(c.get('session')).users()));

  connector.get('/users/me', async (c) => c.json(await open(c.get('session')).me()));

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
    await open(c.get('session')).update(Number(c.req.param('number')), changes);
    return c.body(null, 204);
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

  connector.get('/issues/:number{[1-9][0-9]{0,9}}/attachments', async (c) => {
    return c.json(await open(c.get('session')).attachments(Number(c.req.param('number'))));
  });

  connector.post('/issues/:number{[1-9][0-9]{0,9}}/attachments', limitBody(maxAttachmentBytes), async (c) => {
    const upload = await readQuery(c, attachmentQuerySchema);
    await open(c.get('session')).attach(Number(c.req.param('number')), {
      ...upload,
      contentType: c.req.header('content-type') ?? 'application/octet-stream',
      bytes: c.req.header('content-length'),
      content: c.req.raw.body,
      signal: c.req.raw.signal,
    });
    return c.body(null, 204);
  });

  connector.get('/attachments/:id{[1-9][0-9]{0,9}}', async (c) => {
    const { signal } = c.req.raw;
    const { attachment, content } = await open(c.get('session')).download(Number(c.req.param('id')), signal);
    return new Response(content, {
      headers: {
        'content-type': attachment.contentType,
        // What Redmine breaks off is an error then, and never a short file.
        'content-length': String(attachment.bytes),
        'content-disposition': `attachment; filename*=UTF-8''${encodeFilename(attachment.filename)}`,
        'x-content-type-options': 'nosniff',
      },
    });
  });

  return connector;
}

/** As RFC 8187 has it, which allows fewer characters than addresses do. */
function encodeFilename(name: string): string {
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(/['()*]/g, percent);
}
