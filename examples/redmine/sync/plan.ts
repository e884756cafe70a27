import { type Attachment, type Content, type Issue, otherSide, type Side, type Sides, sides } from './issue.js';
import { type Found, fromMirror, isMirror, type KnownPair, match, type Pair, toMirror } from './match.js';
import { type Base, mergeFields, toBase } from './merge.js';

/** A pair of comments or issues that were equal, and how. */
interface Known<Fields> extends Sides<number> {
  origin: Side;
  base: Base<Fields>;
}

type KnownComment = Known<{ body: string }>;
type KnownIssue = Known<Content> & { comments: KnownComment[]; attachments?: KnownPair[] };

/** What is remembered from one synchronization to the next. */
export type Mapping = KnownIssue[];

/** What is to be written for one issue, in this order and one after the other: comments have an order, too. */
export type Work = { to: Side; key: string } & (
  | { type: 'create'; content: Content }
  | {
      type: 'change';
      id: number;
      changes: Partial<Content>;
      newComments: string[];
      changedComments: { id: number; body: string }[];
      /** Of the other side, with the text that they are to have on this one. */
      newAttachments: Attachment[];
    }
);

export interface Plan {
  work: Work[];
  /** Pairs that are equal, comments included. */
  equal: number;
  comments: number;
  attachments: number;
  /** Fields that both sides had changed. */
  conflicts: number;
  duplicates: Found[];
  orphans: Found[];
  /** To be remembered in place of the mapping that was given. */
  mapping: Mapping;
}

/**
 * Compares both systems and says what is to be written. Nothing but what was read decides, and the mapping of the last
 * time, so that a run can be stopped at any point and the next one goes on from what is really there.
 *
 * @param names of the two projects as markers have them: `owner/name`.
 */
export function planSync(names: Sides<string>, issues: Sides<readonly Issue[]>, mapping: Mapping): Plan {
  const { pairs, alone, duplicates, orphans } = match(names, issues, mapping);
  const counts = { equal: 0, comments: 0, attachments: 0, conflicts: 0 };
  const plan: Plan = { work: [], ...counts, duplicates, orphans, mapping: [] };
  const known = new Map(mapping.map((entry) => [keyOf(entry), entry]));
  for (const pair of pairs) {
    planPair(plan, names, pair, known.get(keyOf({ left: pair.left.id, right: pair.right.id })));
  }
  for (const side of sides) {
    for (const { id, title, body, state } of alone[side]) {
      const content = { title, body: toMirror(body, names[side], id), state };
      plan.work.push({ type: 'create', to: otherSide(side), key: `${side}:${id}`, content });
    }
  }
  return plan;
}

const keyOf = ({ left, right }: Sides<number>) => `${left}=${right}`;

function planPair(plan: Plan, names: Sides<string>, pair: Pair<Issue>, known: KnownIssue | undefined): void {
  const newer: Side = Date.parse(pair.right.updatedAt) > Date.parse(pair.left.updatedAt) ? 'right' : 'left';
  const content = withSides((side) => contentOf(names, side, pair[side]));
  const { changes, conflicts } = mergeFields(content, known?.base, { origin: pair.origin, winner: newer });
  plan.conflicts += conflicts.length;
  restoreMarker(names, pair, content, changes);
  const work = withSides((side) => {
    const { body, ...rest } = changes[side];
    const text = body === undefined ? {} : { body: textFor(names, side, pair, body) };
    return { changes: { ...rest, ...text }, ...emptyWork() };
  });
  const comments = planComments(plan, names, pair, known?.comments ?? [], work);
  const attachments = planAttachments(plan, names, pair, known?.attachments ?? [], work);
  let isEqual = true;
  for (const side of sides) {
    const { changes, newComments, changedComments, newAttachments } = work[side];
    const writes = [Object.keys(changes), newComments, changedComments, newAttachments];
    if (writes.flat().length === 0) continue;
    isEqual = false;
    plan.work.push({ type: 'change', to: side, key: `${side}:${pair[side].id}`, id: pair[side].id, ...work[side] });
  }
  if (isEqual) {
    plan.equal++;
    const { left, right, origin } = pair;
    plan.mapping.push({ left: left.id, right: right.id, origin, base: toBase(content.left), comments, attachments });
  } else if (known !== undefined) plan.mapping.push(known);
}

type PairWork = Sides<Pick<Work & { type: 'change' }, 'newComments' | 'changedComments' | 'newAttachments'>>;

/** @returns what is to be remembered of the comments once the pair is equal. */
function planComments(
  plan: Plan,
  names: Sides<string>,
  issues: Pair<Issue>,
  known: readonly KnownComment[],
  work: PairWork,
): KnownComment[] {
  const found = match(names, { left: issues.left.comments, right: issues.right.comments }, known);
  const bases = new Map(known.map((entry) => [keyOf(entry), entry.base]));
  plan.duplicates.push(...found.duplicates);
  plan.orphans.push(...found.orphans);
  plan.comments += found.pairs.length;
  for (const side of sides) {
    const texts = found.alone[side].map(({ id, body }) => toMirror(body, names[side], id));
    work[otherSide(side)].newComments.push(...texts);
  }
  return found.pairs.map((pair) => {
    const { left, right, origin } = pair;
    const content = withSides((side) => ({ body: fromMirror(pair[side].body, names[otherSide(side)]) }));
    // No time says when a comment was changed, so where both have been, the one that was written there stands.
    const base = bases.get(keyOf({ left: left.id, right: right.id }));
    const { changes, conflicts } = mergeFields(content, base, { origin, winner: origin });
    plan.conflicts += conflicts.length;
    restoreMarker(names, pair, content, changes);
    for (const side of sides) {
      const { body } = changes[side];
      if (body === undefined) continue;
      work[side].changedComments.push({ id: pair[side].id, body: textFor(names, side, pair, body) });
    }
    return { left: left.id, right: right.id, origin, base: toBase(content.left) };
  });
}

/** A file is never changed: what Redmine has of it, it has for ever. @returns what is to be remembered. */
function planAttachments(
  plan: Plan,
  names: Sides<string>,
  issues: Pair<Issue>,
  known: readonly KnownPair[],
  work: PairWork,
): KnownPair[] {
  const found = match(names, { left: issues.left.attachments, right: issues.right.attachments }, known);
  plan.duplicates.push(...found.duplicates);
  plan.orphans.push(...found.orphans);
  plan.attachments += found.pairs.length;
  for (const side of sides) {
    for (const attachment of found.alone[side]) {
      const body = toMirror(attachment.body, names[side], attachment.id);
      work[otherSide(side)].newAttachments.push({ ...attachment, body });
    }
  }
  return found.pairs.map(({ left, right, origin }) => ({ left: left.id, right: right.id, origin }));
}

function contentOf(names: Sides<string>, side: Side, { title, body, state }: Issue): Content {
  return { title, body: fromMirror(body, names[otherSide(side)]), state };
}

/** A mirror's text ends with its marker, the original's does not. */
function textFor(names: Sides<string>, side: Side, pair: Pair<{ id: number }>, body: string): string {
  const { origin } = pair;
  return side === origin ? body : toMirror(body, names[origin], pair[origin].id);
}

/** A mirror whose marker somebody has deleted gets it back, with the text that it is to have anyway. */
function restoreMarker(
  names: Sides<string>,
  pair: Pair<{ body: string }>,
  content: Sides<{ body: string }>,
  changes: Sides<{ body?: string }>,
): void {
  const { origin } = pair;
  const mirror = otherSide(origin);
  if (isMirror(pair[mirror].body, names[origin])) return;
  changes[mirror].body ??= changes[origin].body ?? content[origin].body;
}

const emptyWork = (): PairWork['left'] => ({ newComments: [], changedComments: [], newAttachments: [] });

function withSides<Value>(make: (side: Side) => Value): Sides<Value> {
  return { left: make('left'), right: make('right') };
}
