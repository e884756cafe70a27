import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const password = 'the password of sync';
export const firstKey = '390d044c5902af279412c946fd3f3ec1cbb4e40d';

export interface SeenRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Recorded = [status: number, headers: Record<string, string>, body: string | Buffer];

/**
 * The answers of a real Redmine 5.0.4 behind nginx 1.22, recorded with their headers where those matter, and given again by
 * a server of our own. It knows who may see what; it remembers nothing of what is written.
 */
export class RecordedRedmine {
  readonly seen: SeenRequest[] = [];
  readonly url: string;
  /** The key that is good now: a user can reset it. */
  key = firstKey;
  /** Answered next, in place of what would be. */
  readonly next: Recorded[] = [];
  /** More requests in a second than this are refused as nginx does. */
  requestsPerSecond = Number.POSITIVE_INFINITY;
  /** Hears of every part of a body when it arrives. */
  onChunk: (chunk: Buffer) => void = () => {};
  /** Sends the file of a download, of which the head has gone out. */
  sendFile = (response: ServerResponse): void => void response.end(fileContent);
  /** More issues for the list. */
  issueCount = 1;
  readonly #arrivals: number[] = [];
  readonly #server;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  static async start(): Promise<RecordedRedmine> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RecordedRedmine(server);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** The requests that wrote something, oldest first. */
  get writes(): SeenRequest[] {
    return this.seen.filter(({ method }) => method !== 'GET');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      this.onChunk(chunk as Buffer);
    }
    const { method = '', url = '', headers } = request;
    const seen = { method, path: url, headers, body: Buffer.concat(chunks) };
    this.seen.push(seen);
    const [status, answerHeaders, body] = this.next.shift() ?? this.#limit() ?? this.#answer(seen);
    response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...answerHeaders });
    if (body === fileContent) this.sendFile(response);
    else response.end(body);
  }

  #limit(): Recorded | undefined {
    const now = performance.now();
    while ((this.#arrivals[0] ?? now) < now - 1000) this.#arrivals.shift();
    if (this.#arrivals.length >= this.requestsPerSecond) return limited;
    this.#arrivals.push(now);
    return undefined;
  }

  #answer({ method, path, headers, body }: SeenRequest): Recorded {
    const { pathname, searchParams } = new URL(path, this.url);
    const basic = `Basic ${Buffer.from(`sync:${password}`).toString('base64')}`;
    if (headers.authorization !== basic && headers['x-redmine-api-key'] !== this.key) return unauthorized;
    if (body.length > 0 && headers['content-type'] === 'application/json' && !isJson(body)) {
      return [400, { 'content-type': 'text/html; charset=UTF-8' }, ''];
    }
    switch (`${method} ${pathname}`) {
      case 'GET /users/current.json':
        return json({
          user: { id: 6, login: 'sync', admin: false, firstname: 'Concordat', lastname: 'Sync', api_key: this.key },
        });
      case 'GET /projects/helpdesk.json':
        return json({ project: { id: 1, name: 'Helpdesk', identifier: 'helpdesk', status: 1, is_public: false } });
      case 'GET /projects/1/memberships.json':
        return json({
          memberships: [
            { id: 1, project, user: { id: 6, name: 'Concordat Sync' }, roles: [{ id: 3, name: 'Manager' }] },
            { id: 3, project, group: { id: 9, name: 'Everybody' }, roles: [{ id: 3, name: 'Manager' }] },
          ],
          total_count: 2,
          offset: 0,
          limit: 100,
        });
      case 'GET /issue_statuses.json':
        return json({ issue_statuses: statuses });
      case 'GET /issues.json':
        return this.#list(searchParams);
      case 'POST /issues.json':
        return createIssue(body);
      case 'GET /issues/1.json':
        return json({ issue: { ...issue(1), attachments: [attachment], journals } });
      case 'GET /issues/2.json':
        return [403, { 'content-type': 'application/json' }, ''];
      case 'GET /issues/3.json':
        return json({ issue: { ...issue(3), project: { id: 2, name: 'Other' }, attachments: [], journals: [] } });
      case 'PUT /issues/1.json':
      case 'PUT /journals/1.json':
        return [204, {}, ''];
      case 'POST /uploads.json':
        return json({ upload: { id: 7, token: '7.77cb6bea091ff250' } }, 201);
      case 'GET /attachments/7.json':
        return json({ attachment });
      case 'GET /attachments/download/7':
        return [200, { 'content-type': 'application/octet-stream' }, fileContent];
      default:
        return [404, { 'content-type': 'application/json' }, ''];
    }
  }

  #list(query: URLSearchParams): Recorded {
    const least = Number(/^>=(\d+)$/.exec(query.get('issue_id') ?? '>=1')?.[1]);
    const since = query.get('updated_on');
    if (since !== null && !/^>=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since)) {
      return json({ errors: ['Updated is invalid'] }, 422);
    }
    const ids = Array.from({ length: this.issueCount }, (_, index) => index + 1).filter((id) => id >= least);
    const limit = Number(query.get('limit'));
    return json({ issues: ids.slice(0, limit).map(issue), total_count: ids.length, offset: 0, limit });
  }
}

const unauthorized: Recorded = [
  401,
  { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="Redmine API"' },
  '',
];

/** nginx with `limit_req_status 429` and a header. */
export const limited: Recorded = [
  429,
  { 'content-type': 'application/json', 'retry-after': '2' },
  '{"errors":["Too many requests"]}',
];

/** nginx's own refusal. */
export const bare503: Recorded = [
  503,
  { 'content-type': 'text/html' },
  '<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body>\r\n' +
    '<center><h1>503 Service Temporarily Unavailable</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n' +
    '</body>\r\n</html>\r\n',
];

export const unauthorizedAnswer = unauthorized;

/** Every byte there is. */
export const fileContent = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));

const project = { id: 1, name: 'Helpdesk' };
const statuses = [
  { id: 1, name: 'New', is_closed: false },
  { id: 2, name: 'In Progress', is_closed: false },
  { id: 5, name: 'Closed', is_closed: true },
  { id: 6, name: 'Rejected', is_closed: true },
];

const attachment = {
  id: 7,
  filename: 'a b – ü.bin',
  filesize: 512,
  content_type: 'application/octet-stream',
  description: '',
  author: { id: 6, name: 'Concordat Sync' },
  created_on: '2026-11-21T12:07:22Z',
};

const user = { id: 6, name: 'Concordat Sync' };
const journals = [
  { id: 1, user, notes: 'note\r\nchanged', created_on: '2026-11-21T12:07:21Z', private_notes: false, details: [] },
  {
    id: 2,
    user,
    notes: '',
    created_on: '2026-11-21T12:07:22Z',
    private_notes: false,
    details: [{ property: 'attr', name: 'status_id', old_value: '1', new_value: '5' }],
  },
  { id: 3, user, notes: 'between us', created_on: '2026-11-21T12:07:23Z', private_notes: true, details: [] },
];

const issue = (id: number) => ({
  id,
  project,
  tracker: { id: 1, name: 'Bug' },
  status: { id: 5, name: 'Closed', is_closed: true },
  priority: { id: 2, name: 'Normal' },
  author: user,
  subject: 'Größe 💥',
  description: 'a\r\nb\r\n\r\n<!-- concordat:source=acme/support#7 -->',
  start_date: '2026-11-21',
  due_date: null,
  done_ratio: 0,
  is_private: false,
  created_on: '2026-11-21T12:07:21Z',
  updated_on: '2026-11-21T12:07:22Z',
  closed_on: '2026-11-21T12:07:22Z',
});

function createIssue(body: Buffer): Recorded {
  const asked = JSON.parse(body.toString()).issue as { subject: string; description: string };
  if (asked.subject.length > 255) return json({ errors: ['Subject is too long (maximum is 255 characters)'] }, 422);
  const created = { ...issue(4), status: statuses[0], subject: asked.subject };
  return json({ issue: { ...created, description: asked.description.replaceAll('\n', '\r\n') } }, 201);
}

function json(value: unknown, status = 200): Recorded {
  return [status, { 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(value)];
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
