import type { Issue, IssueContent } from './issue.js';
import { addMarker, readMarker } from './marker.js';

/** One write that brings the target closer to the source. */
export type Work =
  | { type: 'create'; source: Issue; mirror?: undefined; content: IssueContent }
  | { type: 'update'; source: Issue; mirror: Issue; changes: Partial<IssueContent> };

export interface Plan {
  work: Work[];
  /** Source issues whose mirror is equal. */
  equal: number;
  /** Target issues that mirror a source issue which another one mirrors already. */
  duplicates: number[];
  /** Target issues whose source issue is gone. They are reported, never closed or changed. */
  orphans: number[];
}

/**
 * Compares both ends and says what is to be written: nothing but the two lists decides, so that a run can be stopped
 * at any point and the next one goes on from what is really there. Target issues without a marker are left alone.
 */
export function planMirror(sourceRepository: string, sourceIssues: Issue[], targetIssues: Issue[]): Plan {
  const plan: Plan = { work: [], equal: 0, duplicates: [], orphans: [] };
  const mirrors = new Map<number, Issue>();
  for (const issue of [...targetIssues].sort((a, b) => a.number - b.number)) {
    const origin = readMarker(issue.body);
    if (origin?.repository.toLowerCase() !== sourceRepository.toLowerCase()) continue;
    if (mirrors.has(origin.number)) plan.duplicates.push(issue.number);
    else mirrors.set(origin.number, issue);
  }
  for (const source of sourceIssues) {
    const mirror = mirrors.get(source.number);
    mirrors.delete(source.number);
    const content = toMirror(sourceRepository, source);
    if (mirror === undefined) {
      plan.work.push({ type: 'create', source, content });
      continue;
    }
    const changes = findChanges(content, mirror);
    if (Object.keys(changes).length === 0) plan.equal++;
    else plan.work.push({ type: 'update', source, mirror, changes });
  }
  plan.orphans.push(...[...mirrors.values()].map(({ number }) => number));
  return plan;
}

function toMirror(repository: string, { number, title, body, state, labels }: Issue): IssueContent {
  return { title, body: addMarker(body, { repository, number }), state, labels };
}

function findChanges(wanted: IssueContent, found: IssueContent): Partial<IssueContent> {
  const changes: Partial<IssueContent> = {};
  if (wanted.title.trim() !== found.title.trim()) changes.title = wanted.title;
  if (comparableBody(wanted.body) !== comparableBody(found.body)) changes.body = wanted.body;
  if (wanted.state !== found.state) changes.state = wanted.state;
  if (comparableLabels(wanted.labels) !== comparableLabels(found.labels)) changes.labels = wanted.labels;
  return changes;
}

/** Editors on the web send CRLF; the line ends are not content. */
function comparableBody(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

/** Labels are a set, and GitHub takes "Bug" and "bug" for one label. */
function comparableLabels(labels: string[]): string {
  return JSON.stringify([...new Set(labels.map((label) => label.toLowerCase()))].sort());
}
