import { createHash } from 'node:crypto';
import { BadRequestError, NotFoundError } from 'concordat';
import { endSystemFetch, readResponse } from 'concordat/connector';
import {
  type Comment,
  gitHubCommentSchema,
  gitHubIssueSchema,
  type Issue,
  type IssueChanges,
  type IssueQuery,
  type NewIssue,
} from './issues.js';

export interface Connection {
  /** The root of the GitHub API. */
  baseUrl: string;
  token: string;
  /** `owner/name` */
  repository: string;
}

// A failure of GitHub arrives here as the error that the contract has for it, with GitHub's own code and message.
const gitHubFetch = endSystemFetch({ preset: 'github' });

const pageSize = 100;

/** The issues of one GitHub repository, and their comments. */
export class Repository {
  /** Who is asking for what, without the token: the same for all sessions of one connection. */
  readonly account: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor({ baseUrl, token, repository }: Connection) {
    this.account = createHash('sha256')
      .update(JSON.stringify([baseUrl, token, repository]))
      .digest('base64');
    this.#url = `${baseUrl.replace(/\/+$/, '')}/repos/${repository}`;
    this.#headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'concordat-github-connector',
      'x-github-api-version': '2022-11-28',
    };
  }

  /** @throws ConnectorError when the token is refused or the repository is not there for it. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#send('', { signal });
  }

  async list({ updatedSince, cursor }: IssueQuery): Promise<{ items: Issue[]; nextCursor: string | null }> {
    const query = new URLSearchParams({ state: 'all', direction: 'asc', per_page: String(pageSize) });
    query.set('sort', updatedSince === undefined ? 'created' : 'updated');
    if (updatedSince !== undefined) query.set('since', new Date(updatedSince).toISOString());
    for (const [name, value] of readCursor(cursor)) query.set(name, value);
    const response = await this.#send(`/issues?${query}`);
    const found = await readResponse(response, gitHubIssueSchema.array());
    return {
      // GitHub lists pull requests as issues.
      items: found.filter(({ isPullRequest }) => !isPullRequest).map(({ issue }) => issue),
      nextCursor: nextCursor(response.headers.get('link')),
    };
  }

  async get(number: number): Promise<Issue> {
    const response = await this.#send(`/issues/${number}`);
    const { issue, isPullRequest } = await readResponse(response, gitHubIssueSchema);
    if (isPullRequest) throw new NotFoundError(`${number} is a pull request`, { code: 'NOT_AN_ISSUE' });
    return issue;
  }

  create(issue: NewIssue): Promise<Issue> {
    return this.#write('POST', '/issues', issue);
  }

  update(number: number, changes: IssueChanges): Promise<Issue> {
    return this.#write('PATCH', `/issues/${number}`, changes);
  }

  /** In the order in which they were written. */
  async comments(number: number): Promise<Comment[]> {
    const comments: Comment[] = [];
    for (let page = 1; ; page++) {
      const response = await this.#send(`/issues/${number}/comments?per_page=${pageSize}&page=${page}`);
      const found = await readResponse(response, gitHubCommentSchema.array());
      comments.push(...found);
      if (found.length < pageSize) return comments;
    }
  }

  async comment(number: number, body: string): Promise<void> {
    await this.#send(`/issues/${number}/comments`, { method: 'POST', body: JSON.stringify({ body }) });
  }

  async updateComment(id: number, body: string): Promise<void> {
    await this.#send(`/issues/comments/${id}`, { method: 'PATCH', body: JSON.stringify({ body }) });
  }

  async #write(method: string, path: string, json: object): Promise<Issue> {
    const response = await this.#send(path, { method, body: JSON.stringify(json) });
    return (await readResponse(response, gitHubIssueSchema)).issue;
  }

  #send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = init.body === undefined ? this.#headers : { ...this.#headers, 'content-type': 'application/json' };
    return gitHubFetch(this.#url + path, { ...init, headers });
  }
}

/** The parameters by which GitHub leads on to a next page; a cursor holds these and nothing else. */
const pageParameters = ['page', 'after'];

function nextCursor(link: string | null): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  if (next === undefined) return null;
  const { searchParams } = new URL(next);
  return new URLSearchParams([...searchParams].filter(([name]) => pageParameters.includes(name))).toString();
}

function readCursor(cursor = ''): URLSearchParams {
  const parameters = new URLSearchParams(cursor);
  const strange = [...parameters.keys()].find((name) => !pageParameters.includes(name));
  if (strange !== undefined) throw new BadRequestError('`cursor` is not a cursor of this connector');
  return parameters;
}
