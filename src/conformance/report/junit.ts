import { printable } from '../../internal/index.js';
import type { CaseResult, Report } from '../result.js';
import { explain } from './explain.js';

/** One test suite per topic. A warning passes, with the problem in its output. */
export function toJUnit(report: Report): string {
  const topics = new Map<string, CaseResult[]>();
  for (const result of report.results) {
    const [topic = ''] = result.id.split('.');
    topics.set(topic, [...(topics.get(topic) ?? []), result]);
  }
  const suites = [...topics].flatMap(([topic, results]) => {
    const attributes = `name="concordat.${topic}" ${counts(results)} timestamp="${report.startedAt}"`;
    return [`  <testsuite ${attributes}>`, ...results.map((result) => testCase(result, topic)), '  </testsuite>'];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="concordat ${toXml(report.target)}" ${counts(report.results)}>`,
    ...suites,
    '</testsuites>',
  ].join('\n');
}

function counts(results: CaseResult[]): string {
  const failures = results.filter(({ status }) => status === 'failed' || status === 'fixed').length;
  const skipped = results.filter(({ status }) => status === 'skipped' || status === 'known-failure').length;
  const errors = results.filter(({ status }) => status === 'unjudged').length;
  const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  return `tests="${results.length}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${seconds.toFixed(3)}"`;
}

function testCase(result: CaseResult, topic: string): string {
  const name = `${result.id} (${result.rule}) ${result.title}`;
  const open = `    <testcase classname="concordat.${topic}" name="${toXml(name)}" time="${(result.durationMs / 1000).toFixed(3)}"`;
  const inside = outcome(result);
  return inside === undefined ? `${open}/>` : `${open}>\n      ${inside}\n    </testcase>`;
}

function outcome(result: CaseResult): string | undefined {
  const text = toXml(explain(result));
  const [message = ''] = result.problems.map((problem) => problem.message);
  switch (result.status) {
    case 'failed':
      return `<failure message="${toXml(message)}">${text}</failure>`;
    case 'fixed':
      return `<failure message="a known failure passes now">${text}</failure>`;
    case 'unjudged':
      return `<error message="${toXml(result.reason ?? '')}">${text}</error>`;
    case 'warning':
      return `<system-out>${text}</system-out>`;
    case 'known-failure':
      return `<skipped message="${toXml(`known failure: ${result.reason}`)}"/>`;
    case 'skipped':
      return `<skipped message="${toXml(result.reason ?? '')}"/>`;
    default:
      return undefined;
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 allows no control characters, lone surrogates and certain noncharacters, even escaped. */
function toXml(text: string): string {
  return printable(text)
    .replace(/[\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] as string);
}
