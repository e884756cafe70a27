import type { RawIssue } from './direct.js';

export interface Verification {
  /** Issues and comments that are in both systems, once each and equal. */
  issues: number;
  comments: number;
  /** What is missing, there twice, or not equal, in words. */
  problems: string[];
}

/** What a mirror's text ends with. Written anew here: what is verified must not verify itself. */
const marker = /\s*<!-- concordat:source=(?:acme\/support|redmine\/helpdesk)#(\d+) -->\s*$/;

interface Entry {
  id: number;
  body: string;
}

/** What people wrote, by the titles and texts that it must have in the end: each of them is unlike all others. */
export interface Written {
  titles: ReadonlySet<string>;
  comments: ReadonlySet<string>;
}

/** Compares what both systems really hold with each other, and with what was written. */
export function verify(gitHub: readonly RawIssue[], redmine: readonly RawIssue[], written: Written): Verification {
  const problems: string[] = [];
  const withId = (issues: readonly RawIssue[]) => issues.map((issue) => ({ ...issue, id: issue.number }));
  const issues = pairUp('issue', withId(gitHub), withId(redmine), problems);
  let comments = 0;
  for (const [left, right] of issues) {
    const name = `issue ${left.id} of GitHub, ${right.id} of Redmine`;
    if (left.title !== right.title) problems.push(`${name}: the titles are "${left.title}" and "${right.title}"`);
    if (left.isClosed !== right.isClosed) problems.push(`${name}: one of them is closed`);
    if (textOf(left.body) !== textOf(right.body)) problems.push(`${name}: the texts differ`);
    const pairs = pairUp(`comment on ${name},`, left.comments, right.comments, problems);
    comments += pairs.length;
    for (const [first, second] of pairs) {
      if (textOf(first.body) !== textOf(second.body))
        problems.push(`${name}: comments ${first.id} and ${second.id} differ`);
    }
  }
  for (const [place, found] of Object.entries({ GitHub: gitHub, Redmine: redmine })) {
    const titles = found.map(({ title }) => title);
    compareWritten(`titles of ${place}`, titles, written.titles, problems);
    const texts = found.flatMap((issue) => issue.comments.map(({ body }) => textOf(body)));
    compareWritten(`comments of ${place}`, texts, written.comments, problems);
  }
  return { issues: issues.length, comments, problems };
}

function compareWritten(what: string, found: string[], written: ReadonlySet<string>, problems: string[]): void {
  for (const text of written) {
    const times = found.filter((candidate) => candidate === text).length;
    if (times !== 1) problems.push(`${what}: "${text}" is there ${times} times`);
  }
  for (const text of found) if (!written.has(text)) problems.push(`${what}: nobody wrote "${text}"`);
}

/** Finds the partner of everything, or says that there is none, or more than one. */
function pairUp<Item extends Entry>(
  what: string,
  gitHub: readonly Item[],
  redmine: readonly Item[],
  problems: string[],
): [Item, Item][] {
  const pairs: [Item, Item][] = [];
  const paired = new Set<Item>();
  const look = (
    from: readonly Item[],
    into: readonly Item[],
    place: string,
    toPair: (a: Item, b: Item) => [Item, Item],
  ) => {
    for (const original of from.filter(({ body }) => !marker.test(body))) {
      const mirrors = into.filter(({ body }) => Number(marker.exec(body)?.[1]) === original.id);
      for (const item of [original, ...mirrors]) paired.add(item);
      if (mirrors.length !== 1)
        problems.push(`${what} ${original.id} of ${place} is ${mirrors.length} times on the other side`);
      else pairs.push(toPair(original, mirrors[0] as Item));
    }
  };
  look(gitHub, redmine, 'GitHub', (original, mirror) => [original, mirror]);
  look(redmine, gitHub, 'Redmine', (original, mirror) => [mirror, original]);
  for (const item of [...gitHub, ...redmine]) {
    if (!paired.has(item)) problems.push(`${what} ${item.id} mirrors nothing that is there`);
  }
  return pairs;
}

function textOf(body: string): string {
  return body.replace(marker, '').replaceAll('\r\n', '\n').trim();
}
