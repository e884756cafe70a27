import { type CaseResult, type ConformanceConfig, type Probes, runConformance } from 'concordat/conformance';
import { type Stranger, start } from './stranger.js';

export interface Judgement {
  stranger: Stranger;
  verdict: 'broken' | 'right';
  /** Whether the verdict is as expected, and for a defect whether a message says what to change. */
  right: boolean;
  /** What failed or was warned about, a line for each problem. */
  failures: { id: string; status: CaseResult['status']; message: string }[];
}

const user = { key: 'user', value: 'ada', sensitive: false };
const probes: Probes = {
  initialize: {
    parameters: [user, { key: 'password', value: 'correct horse', sensitive: true }],
    wrongParameters: [user, { key: 'password', value: 'wrong-battery-17', sensitive: true }],
  },
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
export async function judgeStranger(stranger: Stranger): Promise<Judgement> {
  const { timeoutMs, rateLimit, ...own } = stranger.declare ?? {};
  const options = { ...config, ...(timeoutMs && { timeoutMs }), ...(rateLimit && { rateLimit }) };
  const { baseUrl, stop } = await start(stranger);
  try {
    const report = await runConformance({ baseUrl, ...options, probes: { ...probes, ...own } });
    const failures = report.results.flatMap(({ id, status, problems, reason }) => {
      if (status !== 'failed' && status !== 'warning') return [];
      return (problems.length > 0 ? problems : [{ message: reason ?? '' }]).map(({ message }) => ({
        id,
        status,
        message,
      }));
    });
    const verdict = report.ok ? 'right' : 'broken';
    const shows = new RegExp(stranger.shows ?? '', 'i');
    const named = failures.some(({ status, message }) => status === 'failed' && shows.test(message));
    const right = verdict === stranger.verdict && (verdict === 'right' || named);
    return { stranger, verdict, right, failures };
  } finally {
    stop();
  }
}
