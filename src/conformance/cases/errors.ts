import { maxCodeBytes, maxMessageBytes } from '../../contract/index.js';
import { parseJson } from '../../internal/index.js';
import type { CaseDefinition, Judge } from '../case.js';
import { summarize } from '../probing/exchange.js';
import { type Completed, hasResponse } from '../probing/limits.js';
import { takeErrors } from '../probing/samples.js';
import { bodyProblem, isJsonType } from '../wording/error-body.js';
import { ofSample } from './sample-status.js';

/** The shape of every provoked error. Other topics check the status. */
export const errorCases: CaseDefinition[] = [
  {
    id: 'errors.body',
    rule: 'E1',
    title: 'An error body is {"errors": {code, message, detail?}} and nothing else',
    why: 'The body is all the service has to explain what went wrong. It reports other shapes as "unknown error".',
    check: forEachError(bodyProblem),
  },
  {
    id: 'errors.content-type',
    rule: 'E1',
    title: 'An error is application/json',
    why: 'Proxies and clients decide by the content type whether to read a body.',
    check: forEachError(({ response }) => {
      const type = response.headers.get('content-type');
      if (isJsonType(type)) return undefined;
      return `content-type is ${type === null ? 'missing' : JSON.stringify(type)}; expected application/json`;
    }),
  },
  {
    id: 'errors.detail-is-bounded',
    rule: 'E5',
    title: 'The texts of an error have a limited length',
    why: "An end system's whole HTML page in every error fills the logs of the service.",
    async check(judge) {
      const { prober } = judge;
      const long = await prober.postWrong(`[{"key": "concordat", "value": "${'long '.repeat(13_000)}`);
      for (const seen of [...(await takeErrors(prober)), long]) {
        if (!hasResponse(seen)) continue;
        const { code, message, detail } = membersOf(seen);
        const bounds = [
          ['code', code, maxCodeBytes],
          ['message', message, maxMessageBytes],
          ['detail', detail, judge.settings.maxDetailBytes],
        ] as const;
        for (const [name, value, most] of bounds) {
          const length = bytesOf(value);
          if (length > most) judge.found(seen, `: ${name} has ${length} bytes; at most ${most} are allowed`);
        }
      }
    },
  },
  {
    id: 'errors.no-stack-trace',
    rule: 'E4',
    severity: 'warning',
    title: 'Errors contain no stack trace',
    why: "A stack trace shows attackers how the connector works and helps no user. It belongs in the connector's log.",
    check: forEachError((seen) => (stackTrace.test(textOf(seen)) ? 'the body contains a stack trace' : undefined)),
  },
  {
    id: 'errors.no-internals',
    rule: 'E4',
    severity: 'warning',
    title: 'Errors name no server path, internal host, connection string or SQL',
    why: 'Messages of libraries show attackers what stands behind the connector, and help no user.',
    check: forEachError((seen) => {
      if (stackTrace.test(textOf(seen))) return undefined; // which names files, too
      for (const [what, pattern] of internals) {
        const found = pattern.exec(errorText(seen))?.[0];
        if (found === undefined) continue;
        return what.includes('password') ? `the error shows ${what}` : `the error shows ${what}: ${found.slice(0, 80)}`;
      }
      return undefined;
    }),
  },
  {
    id: 'errors.no-wait-header',
    rule: 'W2',
    title: 'Only a rate limit carries the wait header',
    why: 'The header tells a rate limit from a denial. On other errors it makes the service wait for nothing.',
    async check(judge) {
      const { header } = judge.settings.rateLimit;
      const isDenialChecked = judge.settings.features.has('access');
      const errors = await takeErrors(judge.prober, isDenialChecked ? 'denial' : undefined);
      reportAlike(judge, errors, ({ response: { status, headers } }) => {
        // The service treats a 503 with the header as a rate limit (rule W3).
        const mayCarry = status === 429 || status === 503;
        return headers.has(header) && !mayCarry ? `carries ${header}, which belongs on a rate limit only` : undefined;
      });
    },
  },
  {
    id: 'errors.denial-without-wait-header',
    rule: 'W2',
    feature: 'access',
    title: 'A denial carries no wait header',
    why: 'A 403 with the header is a rate limit: the service would wait and retry forever.',
    ...ofSample('denial', (judge, denial) => {
      const seen = judge.response(denial);
      const { header } = judge.settings.rateLimit;
      const value = seen?.response.headers.get(header) ?? undefined;
      if (seen === undefined || value === undefined) return;
      judge.found(seen, `: the denial carries ${header}: ${value}, so the service would wait`);
    }),
  },
];

type Look = (seen: Completed) => string | undefined;

function forEachError(look: Look) {
  return async (judge: Judge) => reportAlike(judge, await takeErrors(judge.prober), look);
}

/** What is wrong with several errors in the same way is one problem, with the first of them. */
export function reportAlike(judge: Judge, errors: readonly Completed[], look: Look): void {
  const byProblem = new Map<string, Completed[]>();
  for (const seen of errors) {
    const problem = look(seen);
    if (problem !== undefined) byProblem.set(problem, [...(byProblem.get(problem) ?? []), seen]);
  }
  for (const [problem, [first, ...others]] of byProblem) {
    if (first === undefined) continue;
    const names = [...new Set(others.map(summarize))].slice(0, 3).join(', ');
    const same = others.length === 0 ? '' : `; the same with ${others.length} more, such as ${names}`;
    judge.found(first, `: ${problem}${same}`);
  }
}

function membersOf({ response }: Completed): { code?: unknown; message?: unknown; detail?: unknown } {
  return (parseJson(response.body) as { errors?: object } | undefined | null)?.errors ?? {};
}

function bytesOf(value: unknown): number {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return new TextEncoder().encode(text).length;
}

/** JavaScript; Java and .NET; Python; Go; PHP; Ruby. */
const stackTrace = new RegExp(
  [
    String.raw`(?:^|\n)[ \t]*at [^\s\d].*:\d+:\d+`,
    String.raw`(?:^|\n)[ \t]*at [^\s(]{1,300}\.[^\s(.]{1,100}\(`,
    String.raw`Traceback \(most recent call last\)`,
    String.raw`goroutine \d+ \[`,
    String.raw`(?:^|\n)#0 \S+\.php\(\d+\)`,
    String.raw`\.rb:\d+:in `,
  ].join('|'),
);

const internals: readonly (readonly [string, RegExp])[] = [
  ['a connection string with a password', /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/]{1,100}:[^\s@/]{1,100}@/i],
  [
    'a connection string',
    /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|jdbc:[a-z]{1,30}|sqlserver|ldaps?):\/\/[^\s"]{1,80}/i,
  ],
  ['SQL', /\bSELECT\s[\s\S]{1,300}?\sFROM\s|\bINSERT\s+INTO\s|\bUPDATE\s+\S{1,80}\s+SET\s|\bDELETE\s+FROM\s/],
  [
    'an internal host or address',
    /\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.(?:internal|intranet|corp|lan|local|svc)(?![\w-]|\.\w)|(?<!\bversions?[\s:=]{1,3})\b(?:10\.\d{1,3}|127\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b|\blocalhost:\d{2,5}\b/i,
  ],
  [
    'a path of the server, to a file',
    /(?<![\w./:-])\/(?:home|srv|var|usr|opt|etc|root|tmp|mnt|app|Users)(?:\/[\w.@-]{1,100}){1,10}|\b[A-Z]:\\[\w.-]{1,100}\\/,
  ],
];

/** What the error says: its message and detail, or the whole body if it has none of these. */
function errorText(seen: Completed): string {
  const { message, detail } = membersOf(seen);
  const texts = [message, detail].filter((text) => typeof text === 'string');
  // Links of a page name paths that are no secret.
  const text = texts.length > 0 ? texts.join('\n') : textOf(seen).replaceAll(/<[^<>]*>/g, ' ');
  return text.slice(0, 16_384);
}

/** The body with the line breaks and blanks of JSON and HTML as such. */
function textOf({ response }: Completed): string {
  return response.body
    .replaceAll(/\\n|<br *\/?>/gi, '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('&nbsp;', ' ');
}
