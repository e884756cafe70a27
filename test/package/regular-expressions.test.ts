// Every regular expression in src/ takes time that grows with the text, and no faster (E8): all literals are found in the
// syntax trees, and all that are built are caught as they are built.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { getConsumedChars, getFirstConsumedChar } from 'regexp-ast-analysis';
import { analyse } from 'scslre';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRedact } from '../../src/internal/index.js';

/** What the analysis cannot know: why these are linear all the same, or what bounds their input. */
const explained: Readonly<Record<string, string>> = {
  'src/cli/record/cleaning.ts: restarts in [\\w+/-]{6,}': 'what it has consumed always matches',
  'src/cli/record/cleaning.ts: restarts in [^\\s/@]+': 'a start takes "//"',
  'src/internal/redact.ts: restarts in [A-Za-z0-9+/_-]{4,}': 'what it has consumed always matches',
  'src/conformance/cases/errors.ts: restarts in [ \\t]*': 'a start takes a line break',
  'src/conformance/cases/errors.ts: restarts in .*': 'a start takes a line break',
  'src/conformance/cases/errors.ts: restarts in \\S+': 'a start takes a line break',
  'src/conformance/probing/session-text.ts: restarts in (?:[^"\\\\]|\\\\.)*': 'the text is JSON, so every string ends',
  'src/connector/end-system/presets/google-apis.ts: restarts in \\S*': 'a start takes a space',
  'src/connector/end-system/presets/zendesk.ts: restarts in .*': 'of 8,192 characters, a start takes 12',
};

interface Expression {
  readonly place: string;
  readonly expression: RegExp;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => `src/${name}`);

const literals: Expression[] = [];
/** The files in which expressions are built. */
const builders = new Set<string>();
for (const file of files) {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      literals.push({ place: file, expression: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(tree) === 'RegExp')
      builders.add(file);
    ts.forEachChild(node, visit);
  };
  visit(tree);
}

const built: Expression[] = [];
const original = globalThis.RegExp;

beforeAll(async () => {
  const note = (expression: RegExp): RegExp => {
    const place = [...builders].find((file) => new Error().stack?.includes(file));
    if (place !== undefined) built.push({ place, expression });
    return expression;
  };
  globalThis.RegExp = new Proxy(original, {
    construct: (target, parameters) => note(Reflect.construct(target, parameters)),
    apply: (target, self, parameters) => note(Reflect.apply(target, self, parameters)),
  });
  vi.resetModules(); // those that build one when they are loaded are loaded again
  for (const file of builders) await import(/* @vite-ignore */ resolve(file));
  const { parsePattern } = await import('../../src/testing/routes/pattern.js');
  parsePattern('GET /issues/:id/files/*', 'route');
  const { mswHandlers } = await import('../../src/testing/http/msw-handlers.js');
  mswHandlers('http://connector.test/api', '', async () => new Response());
  const { showsParameter } = await import('../../src/conformance/probing/mask.js');
  showsParameter('Wrong password', 'password', 'wrong');
  createRedact(['a/secret-1', 'word'])('Basic YS9zZWNyZXQtMQ== a/secret-1');
}, 120_000);
afterAll(() => {
  globalThis.RegExp = original;
});

/** Why it may need more than linear time. */
function problemsOf({ source, flags }: RegExp): string[] {
  const { reports } = analyse({ source, flags });
  const slow = reports.map(({ type, exponential }) => `${type}${exponential ? ', exponential' : ''}`);
  return [...slow, ...restartsOf(`/${source}/${flags}`), ...ambiguitiesOf(`/${source}/${flags}`)];
}

/**
 * An expression that is searched for starts anew at every character. Where a repetition without an end can consume what the
 * expression begins with, and what follows can fail, each start may read to the end of the text.
 */
function restartsOf(literal: string): string[] {
  const { pattern, flags } = new RegExpParser().parseLiteral(literal);
  if (flags.sticky) return [];
  const found: string[] = [];
  for (const alternative of pattern.alternatives) {
    const [begin] = alternative.elements;
    if (begin?.type === 'Assertion' && begin.kind === 'start' && !flags.multiline) continue;
    const first = getFirstConsumedChar(alternative, 'ltr', flags).char;
    visitRegExpAST(alternative, {
      onQuantifierEnter(quantifier) {
        if (quantifier.max !== Number.POSITIVE_INFINITY || quantifier === alternative.elements.at(-1)) return;
        if (isKeptApart(alternative.elements[0], quantifier)) return;
        if (getConsumedChars(quantifier.element, flags).chars.isDisjointWith(first)) return;
        found.push(`restarts in ${quantifier.raw}`);
      },
    });
  }
  return found;

  /** `(?<!a)a+b`: inside a run of `a`, nothing starts. */
  function isKeptApart(begin: unknown, quantifier: { raw: string; element: { raw: string } }): boolean {
    return (begin as { raw?: string })?.raw === `(?<!${quantifier.element.raw})`;
  }
}

/** Alternatives that are repeated without an end and begin alike: each turn may take either. */
function ambiguitiesOf(literal: string): string[] {
  const { pattern, flags } = new RegExpParser().parseLiteral(literal);
  const found: string[] = [];
  visitRegExpAST(pattern, {
    onQuantifierEnter({ element, max, raw }) {
      if (max !== Number.POSITIVE_INFINITY || !('alternatives' in element)) return;
      const firsts = element.alternatives.map((one) => getFirstConsumedChar(one, 'ltr', flags).char);
      const isAlike = firsts.some((one, index) => firsts.slice(index + 1).some((other) => !one.isDisjointWith(other)));
      if (isAlike) found.push(`ambiguous in ${raw}`);
    },
  });
  return found;
}

const slow = (all: readonly Expression[]) =>
  all.flatMap(({ place, expression }) =>
    problemsOf(expression).map((problem) => ({ name: `${place}: ${problem}`, expression })),
  );

it.each([
  /(a+)+$/,
  /^(?:a|ab?)+$/,
  /^[ \t]+|[ \t]+$/g,
  /\/+$/,
  /a*a*b/,
  /^\s*(?:text|[^;]*\+xml)/,
  /"(?:[^"\\]|\\.)*"/,
  /remaining=0;.*resets=/,
])('%s is found (control)', (expression) => {
  expect(problemsOf(expression)).not.toEqual([]);
});

it('every regular expression is linear, or says why its time is bounded (E8)', () => {
  expect(literals.length).toBeGreaterThan(200);
  expect(slow([...literals, ...built]).filter(({ name }) => explained[name] === undefined)).toEqual([]);
});

it('every place that builds a regular expression has been seen building', () => {
  expect(builders.size).toBeGreaterThan(5);
  expect([...builders].filter((file) => !built.some(({ place }) => place === file))).toEqual([]);
});

it('what is explained is there, and needs it', () => {
  const names = slow([...literals, ...built]).map(({ name }) => name);
  expect(Object.keys(explained).filter((name) => !names.includes(name))).toEqual([]);
});
