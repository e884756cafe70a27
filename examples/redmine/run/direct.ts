import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** An issue as it really is in a system, read without a connector. */
export interface RawIssue {
  number: number;
  title: string;
  body: string;
  isClosed: boolean;
  comments: { id: number; body: string }[];
}

const gitHubIssue = z.object({ number: z.number(), title: z.string(), body: z.string().nullable(), state: z.string() });
const gitHubComment = z.object({ id: z.number(), body: z.string() });

/** GitHub as its users see it. */
export class DirectGitHub {
  readonly #url: string;

  constructor(apiUrl: string, repository: string) {
    this.#url = `${apiUrl}/repos/${repository}/issues`;
  }

  async create(title: string, body: string): Promise<number> {
    return gitHubIssue.parse(await this.#send('POST', '', { title, body })).number;
  }

  change(number: number, changes: { title?: string; body?: string; state?: 'open' | 'closed' }): Promise<unknown> {
    return this.#send('PATCH', `/${number}`, changes);
  }

  async comment(number: number, body: string): Promise<number> {
    return gitHubComment.parse(await this.#send('POST', `/${number}/comments`, { body })).id;
  }

  changeComment(id: number, body: string): Promise<unknown> {
    return this.#send('PATCH', `/comments/${id}`, { body });
  }

  async issues(): Promise<RawIssue[]> {
    const found = await pages(async (page) =>
      gitHubIssue.array().parse(await this.#send('GET', `?state=all&per_page=100&page=${page}`)),
    );
    const issues: RawIssue[] = [];
    for (const { number, title, body, state } of found) {
      const comments = await pages(async (page) =>
        gitHubComment.array().parse(await this.#send('GET', `/${number}/comments?per_page=100&page=${page}`)),
      );
      issues.push({ number, title, body: body ?? '', isClosed: state === 'closed', comments });
    }
    return issues;
  }

  async #send(method: string, path: string, json?: object): Promise<unknown> {
    const headers = { authorization: 'Bearer a-user-of-github', 'content-type': 'application/json' };
    return (await send(this.#url + path, { method, headers, ...(json && { body: JSON.stringify(json) }) })).json();
  }
}

async function pages<Item>(read: (page: number) => Promise<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const found = await read(page);
    items.push(...found);
    if (found.length < 100) return items;
  }
}

const redmineIssue = z.object({
  id: z.number(),
  subject: z.string(),
  description: z.string().nullable(),
  status: z.object({ is_closed: z.boolean() }),
});
const redmineParts = z.object({
  issue: z.object({
    journals: z.array(z.object({ id: z.number(), notes: z.string().nullable(), private_notes: z.boolean() })),
    attachments: z.array(z.object({ id: z.number(), filename: z.string() })),
  }),
});

/** Redmine as one of its users sees it: by the password, past the limits. */
export class DirectRedmine {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, username: string, password: string) {
    this.#url = url;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    this.#headers = { authorization: `Basic ${basic}` };
  }

  async create(subject: string, description: string, project = 'helpdesk'): Promise<number> {
    const issue = { project_id: project, subject, description };
    const response = await this.#send('POST', '/issues.json', { issue });
    return z.object({ issue: redmineIssue }).parse(await response.json()).issue.id;
  }

  /** Fields by Redmine's own names; `notes` is a comment. */
  async change(id: number, issue: Record<string, unknown>): Promise<void> {
    await this.#send('PUT', `/issues/${id}.json`, { issue });
  }

  async changeNotes(id: number, notes: string): Promise<void> {
    await this.#send('PUT', `/journals/${id}.json`, { journal: { notes } });
  }

  async attach(id: number, filename: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    const response = await send(`${this.#url}/uploads.json?${new URLSearchParams({ filename })}`, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/octet-stream' },
      body: content,
    });
    const { upload } = z.object({ upload: z.object({ token: z.string() }) }).parse(await response.json());
    await this.change(id, { uploads: [{ token: upload.token, filename, content_type: 'application/octet-stream' }] });
  }

  async issues(project = 'helpdesk'): Promise<RawIssue[]> {
    const schema = z.object({ issues: redmineIssue.array(), total_count: z.number() });
    const issues: RawIssue[] = [];
    for (let total = 1; issues.length < total; ) {
      const query = `project_id=${project}&status_id=*&sort=id&limit=100&offset=${issues.length}`;
      const page = schema.parse(await (await this.#send('GET', `/issues.json?${query}`)).json());
      total = page.total_count;
      for (const { id, subject, description, status } of page.issues) {
        const { journals } = await this.#parts(id);
        const notes = journals.filter((journal) => journal.notes && !journal.private_notes);
        issues.push({
          number: id,
          title: subject,
          body: description ?? '',
          isClosed: status.is_closed,
          comments: notes.map((journal) => ({ id: journal.id, body: journal.notes ?? '' })),
        });
      }
    }
    return issues;
  }

  /** @returns the contents of all attachments of an issue that have this name. */
  async attachments(id: number, filename: string): Promise<Buffer[]> {
    const found = (await this.files(id)).filter((attachment) => attachment.filename === filename);
    return Promise.all(
      found.map(async (attachment) => {
        const response = await this.#send('GET', `/attachments/download/${attachment.id}`);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
  }

  async files(id: number): Promise<{ id: number; filename: string }[]> {
    return (await this.#parts(id)).attachments;
  }

  /** The fingerprint of a file, which is not held in memory. */
  async sha256(attachment: number): Promise<string> {
    const hash = createHash('sha256');
    const { body } = await this.#send('GET', `/attachments/download/${attachment}`);
    for await (const chunk of body ?? []) hash.update(chunk as Uint8Array);
    return hash.digest('hex');
  }

  async #parts(id: number) {
    const response = await this.#send('GET', `/issues/${id}.json?include=journals,attachments`);
    return redmineParts.parse(await response.json()).issue;
  }

  #send(method: string, path: string, json?: object): Promise<Response> {
    return send(this.#url + path, {
      method,
      headers: { ...this.#headers, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) {
    throw new Error(`${init.method} ${new URL(url).pathname}: ${response.status} ${await response.text()}`);
  }
  return response;
}

/** Redmine's times have whole seconds: what happens after this is later than what has happened before. */
export function nextSecond(): Promise<void> {
  return delay(1000 - (Date.now() % 1000) + 50);
}
