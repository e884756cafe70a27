import {
  type CaseResult,
  type ConformanceConfig,
  formatReport,
  type Probes,
  type Report,
  reporters,
  runConformance,
} from 'concordat/conformance';
import { type Stranger, start, type Verdict } from './stranger.js';

export interface Judgment {
  stranger: Stranger;
  verdict: Verdict;
  /** Why this is not the judgment that was expected; undefined where it is. */
  wrong: string | undefined;
  /** What failed or was warned about, one for each problem. */
  problems: { id: string; status: CaseResult['status']; message: string }[];
  /** Cases that were not judged, although their probes were declared. */
  skipped: { id: string; reason: string }[];
}

const user = { key: 'user', value: 'ada', sensitive: false };
const password = (value: string) => ({ key: 'password', value, sensitive: true });
const passwords = ['correct horse', 'wrong-battery-17'] as const;

const probes: Probes = {
  initialize: { parameters: [user, password(passwords[0])], wrongParameters: [user, password(passwords[1])] },
  readable: '/records/1',
  unknown: '/records/0',
  invalid: { method: 'POST', path: '/records', json: { title: '' } },
  forbidden: '/admin',
  failing: '/report',
  limit: { request: '/search', times: 25 },
  expire: { request: 'POST /logout' },
  cleanup: {},
};
const config: ConformanceConfig = { allowWrites: true, timeoutMs: 10_000, maxWaitMs: 8000 };

/** Runs the kit against a stranger, with all that it offers declared. */
export async function judgeStranger(stranger: Stranger): Promise<Judgment> {
  const { timeoutMs, rateLimit, ...own } = stranger.declare ?? {};
  const options = { ...config, ...(timeoutMs && { timeoutMs }), ...(rateLimit && { rateLimit }) };
  const { baseUrl, tokens, stop } = await start(stranger);
  try {
    const report = await runConformance({ baseUrl, ...options, probes: { ...probes, ...own } });
    return judge(stranger, report, [...tokens, ...passwords]);
  } finally {
    stop();
  }
}

function judge(stranger: Stranger, report: Report, secrets: readonly string[]): Judgment {
  const problems = report.results.flatMap(({ id, status, problems }) =>
    status === 'failed' || status === 'warning' ? problems.map(({ message }) => ({ id, status, message })) : [],
  );
  const skipped = report.results.flatMap(({ id, status, reason = '' }) =>
    (status === 'skipped' && !/^(?:files|openapi)\./.test(id)) || status === 'unjudged' ? [{ id, reason }] : [],
  );
  const verdict = report.counts.failed > 0 ? 'broken' : report.counts.warning > 0 ? 'warned' : 'right';
  return { stranger, verdict, wrong: [...objections()].join('; ') || undefined, problems, skipped };

  function* objections() {
    const text = reporters.map((reporter) => formatReport(report, reporter)).join('\n');
    const shown = secrets.filter((secret) => text.includes(secret));
    if (shown.length > 0) yield `the report shows ${shown.length} of ${secrets.length} passwords and tokens`;
    if (stranger.verdict === 'right') {
      if (verdict === 'broken') yield 'it keeps the contract';
      else if (skipped.length > 0) yield `${skipped.length} cases were not judged, ${skipped[0]!.id} for one`;
      return;
    }
    if (stranger.verdict === 'broken' && verdict !== 'broken') {
      yield 'it does not keep the contract';
      return;
    }
    const counted = problems.filter(({ status }) => stranger.verdict === 'warned' || status === 'failed');
    const pattern = new RegExp(stranger.shows ?? '', 'i');
    if (counted.some(({ message }) => pattern.test(message))) return;
    yield `no ${stranger.verdict === 'broken' ? 'failure' : 'warning or failure'} matches /${stranger.shows}/i`;
  }
}
