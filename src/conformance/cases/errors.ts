import { errorPayloadSchema } from '../../contract/index.js';
import { describeIssues, parseJson } from '../../internal/index.js';
import type { CaseDefinition, Judge } from '../case.js';
import { summarize } from '../probing/exchange.js';
import type { Completed } from '../probing/prober.js';
import { lacksSample, takeErrors, takeSample, toInitialize } from '../probing/samples.js';

/** The shape of every error that the probes provoke. Which status it has is for the other topics. */
export const errorCases: CaseDefinition[] = [
  {
    id: 'errors.body',
    rule: 'E1',
    title: 'An error body is {"errors": {code, message, detail?}} and nothing else',
    why: 'It is all that the service has to say what went wrong. A body of another shape is reported as "unknown error".',
    check: forEachError((judge, seen) => {
      const problem = bodyProblem(seen);
      if (problem !== undefined) judge.problem(`${summarize(seen)}: ${problem}`, seen);
    }),
  },
  {
    id: 'errors.content-type',
    rule: 'E1',
    title: 'An error is application/json',
    why: 'Proxies and clients decide by the content type whether they read a body at all.',
    check: forEachError((judge, seen) => {
      const type = seen.response.headers.get('content-type');
      if (isJsonType(type)) return;
      judge.problem(`${summarize(seen)}: content-type is ${type === null ? 'missing' : JSON.stringify(type)}`, seen);
    }),
  },
  {
    id: 'errors.detail-is-bounded',
    rule: 'E5',
    title: 'The detail of an error is bounded',
    why: "An end system's page of HTML, or the whole request, in every error fills the logs of the service.",
    async check(judge) {
      const { prober } = judge;
      const long = await prober.send(toInitialize(prober, `[{"key": "concordat", "value": "${'long '.repeat(13_000)}`));
      for (const seen of [...(await takeErrors(prober)), long]) {
        if (seen.response === undefined) continue;
        const length = new TextEncoder().encode(detailOf(seen.response.body)).length;
        const most = judge.settings.maxDetailBytes;
        if (length > most) judge.problem(`${summarize(seen)}: detail has ${length} bytes, ${most} are allowed`, seen);
      }
    },
  },
  {
    id: 'errors.no-stack-trace',
    rule: 'E4',
    severity: 'warning',
    title: 'Errors hold no stack trace',
    why: "A stack trace tells an attacker about the connector's insides, and the reader nothing. Its place is the connector's log.",
    check: forEachError((judge, seen) => {
      if (stackTrace.test(textOf(seen))) judge.problem(`${summarize(seen)}: the body holds a stack trace`, seen);
    }),
  },
  {
    id: 'errors.no-wait-header',
    rule: 'W2',
    title: 'Only a rate limit carries the wait header',
    why: 'The header is what tells a limit from a denial. With it on other errors the service waits where waiting does not help.',
    check: forEachError(
      (judge, seen) => {
        const { header } = judge.settings.rateLimit;
        if (seen.response.status === 429 || !seen.response.headers.has(header)) return;
        judge.problem(`${summarize(seen)}: carries ${header}`, seen);
      },
      // A 503 with the header is a limit to the service (rule W3); it is no error of the connector's.
      (seen) => seen.response.status !== 503,
    ),
  },
  {
    id: 'errors.denial-without-wait-header',
    rule: 'W2',
    feature: 'access',
    title: 'A denial carries no wait header',
    why: 'A 403 with the header is a limit: the service would wait and ask again, for ever.',
    lacks: (prober) => lacksSample(prober, 'denial'),
    async check(judge) {
      const seen = judge.response(await takeSample(judge.prober, 'denial'));
      const { header } = judge.settings.rateLimit;
      if (seen?.response.headers.has(header)) judge.problem(`${summarize(seen)}: carries ${header}`, seen);
    },
  },
];

function forEachError(look: (judge: Judge, seen: Completed) => void, which: (seen: Completed) => boolean = () => true) {
  return async (judge: Judge) => {
    for (const seen of await takeErrors(judge.prober)) if (which(seen)) look(judge, seen);
  };
}

/** What keeps a body from being a contract body, in words. */
export function bodyProblem({ response }: Completed): string | undefined {
  if (response.body === '') return 'the body is empty';
  const value = parseJson(response.body);
  if (value === undefined) return 'the body is no JSON';
  const parsed = errorPayloadSchema.safeParse(value);
  if (!parsed.success) return describeIssues(parsed.error.issues);
  const { code, message } = parsed.data.errors;
  if (code.trim() === '') return '`errors.code` is blank';
  return message.trim() === '' ? '`errors.message` is blank' : undefined;
}

export function isJsonType(type: string | null): boolean {
  return type !== null && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
}

function detailOf(body: string): string {
  const value = parseJson(body) as { errors?: { detail?: unknown; message?: unknown } } | undefined;
  const detail = value?.errors?.detail;
  return typeof detail === 'string' ? detail : detail === undefined ? '' : JSON.stringify(detail);
}

/** JavaScript, Java and .NET; Python; Go; PHP; Ruby. */
const stackTrace = new RegExp(
  [
    String.raw`(?:^|\n)[ \t]*at \S.*[:(]`,
    String.raw`Traceback \(most recent call last\)`,
    String.raw`goroutine \d+ \[`,
    String.raw`(?:^|\n)#0 \S+\.php\(\d+\)`,
    String.raw`\.rb:\d+:in `,
  ].join('|'),
);

function textOf({ response }: Completed): string {
  return response.body.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}
