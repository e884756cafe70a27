import { NotFoundError } from 'concordat';
import { endSystemFetch, readResponse } from 'concordat/connector';
import type { z } from 'zod';
import type { Attachment, Comment, FullIssue, Issue, IssueChanges, IssueQuery, NewIssue } from './issues.js';
import { toAttachment, toFullIssue, toIssue, wire } from './wire.js';

/** What a session holds. */
export interface Connection {
  apiKey: string;
  projectId: number;
}

export interface Credentials {
  username: string;
  password: string;
  /** The identifier of a project, as in its address. */
  project: string;
}

// A failure of Redmine arrives here as the error that the contract has for it.
const redmineFetch = endSystemFetch({ preset: 'redmine' });
/** How long a file takes is for the service to say, which gives its request up. */
const fileFetch = endSystemFetch({ preset: 'redmine', timeoutMs: Number.POSITIVE_INFINITY });

export interface Upload {
  filename: string;
  description: string;
  contentType: string;
  /** Its length, where that is known. */
  bytes: string | undefined;
  content: ReadableStream<Uint8Array> | null;
  signal: AbortSignal;
}

const pageSize = 100;

/**
 * The issues of one project. Whatever writes does so in its last call and reads nothing back: to the service a 401 or a
 * limit means that nothing has been done (rule G7), and it sends the request again.
 */
export class Redmine {
  readonly #url: string;
  readonly #connection: Connection;

  /** @param url the root of Redmine, without a slash at its end. */
  constructor(url: string, connection: Connection) {
    this.#url = url;
    this.#connection = connection;
  }

  /**
   * Logs in with the password and reads the key that Redmine has for this user *now*: after a reset of the key, logging
   * in again is all it takes.
   *
   * @throws ConnectorError when Redmine refuses the password or shows no such project.
   */
  static async logIn(
    url: string,
    { username, password, project }: Credentials,
    signal: AbortSignal,
  ): Promise<Connection> {
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const ask = (path: string) => redmineFetch(url + path, { headers: { authorization: `Basic ${basic}` }, signal });
    const { user } = await readResponse(await ask('/users/current.json'), wire.login);
    const found = await readResponse(await ask(`/projects/${encodeURIComponent(project)}.json`), wire.project);
    return { apiKey: user.api_key, projectId: found.project.id };
  }

  async me(): Promise<{ id: number; login: string; name: string }> {
    const { user } = await this.#read('/users/current.json', wire.user);
    return { id: user.id, login: user.login, name: `${user.firstname} ${user.lastname}`.trim() };
  }

  /** The members of the project: the list of all users is for administrators only. */
  async users(): Promise<{ id: number; name: string }[]> {
    const users: { id: number; name: string }[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const path = `/projects/${this.#connection.projectId}/memberships.json?limit=${pageSize}&offset=${offset}`;
      const page = await this.#read(path, wire.members);
      users.push(...page.memberships.flatMap(({ user }) => (user ? [{ id: user.id, name: user.name }] : [])));
      if (offset + pageSize >= page.total_count) return users;
    }
  }

  /**
   * Ordered by number and continued after the last one: with Redmine's offsets, an issue that changes while the pages are
   * read would push another one over the edge of a page. Times have whole seconds here, so `updatedSince` is rounded down.
   */
  async list({ updatedSince, cursor }: IssueQuery): Promise<{ items: Issue[]; nextCursor: string | null }> {
    const { projectId } = this.#connection;
    const query = new URLSearchParams({ project_id: String(projectId), subproject_id: '!*', limit: String(pageSize) });
    query.set('status_id', '*'); // closed ones, too
    query.set('sort', 'id');
    if (updatedSince !== undefined) {
      query.set('updated_on', `>=${new Date(updatedSince).toISOString().replace(/\.\d+/, '')}`);
    }
    if (cursor !== undefined) query.set('issue_id', `>=${Number(cursor) + 1}`);
    const { issues } = await this.#read(`/issues.json?${query}`, wire.issues);
    const last = issues.length < pageSize ? undefined : issues.at(-1);
    return {
      items: issues.map((issue) => toIssue(issue, this.#url)),
      nextCursor: last === undefined ? null : String(last.id),
    };
  }

  async get(number: number): Promise<FullIssue> {
    const { issue } = await this.#read(`/issues/${number}.json?include=journals,attachments`, wire.issue);
    if (issue.project.id !== this.#connection.projectId) {
      throw new NotFoundError(`Issue ${number} is in another project.`, { code: 'OTHER_PROJECT' });
    }
    return toFullIssue(issue, this.#url);
  }

  async create({ title, body }: NewIssue): Promise<Issue> {
    const json = { issue: { project_id: this.#connection.projectId, subject: title, description: body } };
    const response = await this.#send('/issues.json', { method: 'POST', json });
    return toIssue((await readResponse(response, wire.issue)).issue, this.#url);
  }

  async update(number: number, { title, body, state }: IssueChanges): Promise<void> {
    const before = await this.get(number);
    const issue: Record<string, string | number> = {};
    if (title !== undefined) issue.subject = title;
    if (body !== undefined) issue.description = body;
    // Any status of the wanted kind will do; one that has it already keeps it.
    if (state !== undefined && state !== before.state) issue.status_id = await this.#statusFor(state);
    await this.#put(`/issues/${number}.json`, { issue });
  }

  async comments(number: number): Promise<Comment[]> {
    return (await this.get(number)).comments;
  }

  async comment(number: number, body: string): Promise<void> {
    await this.get(number);
    await this.#put(`/issues/${number}.json`, { issue: { notes: body } });
  }

  async updateComment(id: number, body: string): Promise<void> {
    await this.#put(`/journals/${id}.json`, { journal: { notes: body } });
  }

  async attachments(number: number): Promise<Attachment[]> {
    return (await this.get(number)).attachments;
  }

  /**
   * Passes a file on while it arrives. Uploads first and attaches then: what is never attached is cleared away by Redmine.
   */
  async attach(number: number, { filename, description, contentType, bytes, content, signal }: Upload): Promise<void> {
    await this.get(number);
    const upload = await fileFetch(`${this.#url}/uploads.json?${new URLSearchParams({ filename })}`, {
      method: 'POST',
      headers: {
        ...this.#authorization,
        'content-type': 'application/octet-stream',
        ...(bytes !== undefined && { 'content-length': bytes }),
      },
      body: content,
      duplex: 'half',
      signal,
    } as RequestInit); // whose type does not know `duplex`
    const { token } = (await readResponse(upload, wire.upload)).upload;
    const issue = { uploads: [{ token, filename, description, content_type: contentType }] };
    await this.#put(`/issues/${number}.json`, { issue });
  }

  /** @param signal ends the download, also while the content is read. */
  async download(
    id: number,
    signal: AbortSignal,
  ): Promise<{ attachment: Attachment; content: ReadableStream<Uint8Array> | null }> {
    const { attachment } = await this.#read(`/attachments/${id}.json`, wire.attachment);
    const url = `${this.#url}/attachments/download/${id}`;
    // Packed, it would not have the length that Redmine names.
    const headers = { ...this.#authorization, 'accept-encoding': 'identity' };
    const response = await fileFetch(url, { headers, signal });
    return { attachment: toAttachment(attachment), content: response.body };
  }

  get #authorization() {
    return { 'x-redmine-api-key': this.#connection.apiKey };
  }

  async #statusFor(state: 'open' | 'closed'): Promise<number> {
    const { issue_statuses } = await this.#read('/issue_statuses.json', wire.statuses);
    const status = issue_statuses.find(({ is_closed = false }) => is_closed === (state === 'closed'));
    if (status === undefined) throw new NotFoundError(`No status of this Redmine is ${state}.`, { code: 'NO_STATUS' });
    return status.id;
  }

  async #read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return readResponse(await this.#send(path), schema);
  }

  async #put(path: string, json: object): Promise<void> {
    await this.#send(path, { method: 'PUT', json });
  }

  #send(path: string, { json, headers, ...init }: RequestInit & { json?: object } = {}): Promise<Response> {
    return redmineFetch(this.#url + path, {
      ...init,
      headers: {
        ...headers,
        ...this.#authorization,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
  }
}
