import { printable } from '../../internal/index.js';
import type { CaseResult, CaseStatus, Report } from '../result.js';
import { drawExchange } from './explain.js';

const marks: Record<CaseStatus, { sign: string; color: number; words: string }> = {
  passed: { sign: '✓', color: 32, words: 'passed' },
  failed: { sign: '✗', color: 31, words: 'failed' },
  warning: { sign: '!', color: 33, words: 'with a warning' },
  fixed: { sign: '✗', color: 31, words: 'fixed, but still listed as known failures' },
  'known-failure': { sign: '~', color: 33, words: 'known to fail' },
  unjudged: { sign: '?', color: 33, words: 'could not be judged' },
  skipped: { sign: '○', color: 2, words: 'not checked' },
};

/** The report for people, topic by topic. */
export function toPretty(report: Report, colors: boolean): string {
  const paint = (color: number, text: string) => (colors ? `\u001b[${color}m${text}\u001b[0m` : text);
  const lines = [`Conformance of ${printable(report.target)}`];
  let topic = '';
  for (const result of report.results) {
    const [name = ''] = result.id.split('.');
    if (name !== topic) lines.push('', paint(1, name));
    topic = name;
    const { sign, color } = marks[result.status];
    lines.push(`  ${paint(color, sign)} ${result.title} ${paint(2, `(${result.rule}, ${result.id})`)}`);
    lines.push(...notes(result).map((line) => paint(2, `      ${line}`)));
    for (const { message, seen } of result.problems) {
      for (const line of printable(message).split('\n')) lines.push(paint(color, `      ${line}`));
      if (seen !== undefined) lines.push(...drawExchange(seen).map((line) => paint(2, `      ${line}`)));
    }
    if (result.problems.length > 0) lines.push(`      Why it matters: ${result.why}`);
  }
  const counts = Object.entries(report.counts).filter(([, count]) => count > 0);
  const summary = counts.map(([status, count]) => {
    const { color, words } = marks[status as CaseStatus];
    return paint(color, `${count} ${words}`);
  });
  lines.push('', `${summary.join(', ')} in ${report.durationMs} ms`);
  lines.push(paint(report.ok ? 32 : 31, conclusion(report)));
  return lines.join('\n');
}

function conclusion({ counts, results }: Report): string {
  const failed = results.filter(({ status }) => status === 'failed');
  if (failed.some(({ id }) => !id.startsWith('recording.'))) return 'The connector breaks the contract.';
  if (failed.length > 0) return 'The connector is no longer what was recorded.';
  if (counts.fixed > 0) return 'The list of known failures is out of date.';
  const unjudged = results.filter(({ status }) => status === 'unjudged').map(({ id }) => id);
  if (unjudged.length > 0) return `No verdict: these could not be judged: ${unjudged.join(', ')}.`;
  return counts.skipped === 0 ? 'The connector keeps the contract.' : 'All that was checked keeps the contract.';
}

function notes({ status, reason = '' }: CaseResult): string[] {
  if (status === 'skipped' || status === 'unjudged') return [reason];
  if (status === 'known-failure') return [`known: ${reason}`];
  if (status === 'fixed') return [`It passes now: remove it from \`knownFailures\` ("${reason}").`];
  return [];
}
