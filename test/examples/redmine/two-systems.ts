import type { Content, Issue, Side, Sides } from '../../../examples/redmine/sync/issue.js';
import { type Mapping, type Plan, planSync, type Work } from '../../../examples/redmine/sync/plan.js';

const names = { left: 'acme/support', right: 'redmine/helpdesk' };

/** Two systems in memory, which do what a plan says and nothing else. */
export class TwoSystems {
  readonly issues: Sides<Issue[]> = { left: [], right: [] };
  mapping: Mapping = [];
  #clock = Date.parse('2026-01-01T00:00:00Z');
  #lastComment = 100;

  write(side: Side, title: string, changes: Partial<Content> & { comments?: string[] } = {}): Issue {
    const { comments = [], ...content } = changes;
    const id = this.issues[side].length + 1;
    const issue: Issue = { id, title, body: 'text', state: 'open', updatedAt: '', comments: [], attachments: [] };
    Object.assign(issue, content);
    this.issues[side].push(issue);
    this.touch(issue);
    for (const body of comments) this.comment(issue, body);
    return issue;
  }

  touch(issue: Issue): void {
    this.#clock += 1000;
    issue.updatedAt = new Date(this.#clock).toISOString();
  }

  change(issue: Issue, changes: Partial<Content>): void {
    Object.assign(issue, changes);
    this.touch(issue);
  }

  comment(issue: Issue, body: string): void {
    issue.comments.push({ id: ++this.#lastComment, body });
    this.touch(issue);
  }

  attach(issue: Issue, filename: string, body = ''): void {
    issue.attachments.push({ id: ++this.#lastComment, body, filename, contentType: 'image/png', bytes: 3 });
    this.touch(issue);
  }

  /** The other one of a pair. */
  mirror(issue: Issue): Issue {
    const side = this.issues.left.includes(issue) ? 'left' : 'right';
    const other = side === 'left' ? 'right' : 'left';
    const entry = this.mapping.find((known) => known[side] === issue.id);
    return this.issues[other].find(({ id }) => id === entry?.[other]) as Issue;
  }

  plan(): Plan {
    return planSync(names, structuredClone(this.issues), this.mapping);
  }

  /** Does the work until there is none. @returns all the work that was done. */
  settle(): Work[] {
    const done: Work[] = [];
    for (let round = 1; ; round++) {
      const plan = this.plan();
      this.mapping = plan.mapping;
      if (plan.work.length === 0) return done;
      if (round > 5) throw new Error('The plan never ends.');
      for (const work of plan.work) this.perform(work);
      done.push(...plan.work);
    }
  }

  perform(work: Work): void {
    if (work.type === 'create') {
      this.write(work.to, work.content.title, work.content);
      return;
    }
    const issue = this.issues[work.to].find(({ id }) => id === work.id) as Issue;
    if (Object.keys(work.changes).length > 0) this.change(issue, work.changes);
    for (const { id, body } of work.changedComments) {
      for (const comment of issue.comments) if (comment.id === id) comment.body = body;
    }
    for (const body of work.newComments) this.comment(issue, body);
    for (const { filename, body } of work.newAttachments) this.attach(issue, filename, body);
  }
}
