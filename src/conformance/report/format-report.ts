import type { Report } from '../result.js';
import { toJUnit } from './junit.js';
import { toPretty } from './pretty.js';

export const reporters = ['pretty', 'json', 'junit'] as const;
export type Reporter = (typeof reporters)[number];

/**
 * Writes a report: `pretty` for people, `json` for programs, `junit` for build servers.
 *
 * @throws TypeError when `reporter` is none of these.
 */
export function formatReport(
  report: Report,
  reporter: Reporter,
  options: { /** Whether `pretty` may color. @default false */ colors?: boolean } = {},
): string {
  switch (reporter) {
    case 'pretty':
      return toPretty(report, options.colors ?? false);
    case 'json':
      return JSON.stringify(report, undefined, 2);
    case 'junit':
      return toJUnit(report);
    default:
      throw new TypeError(`\`reporter\` must be one of ${reporters.join(', ')}, got ${JSON.stringify(reporter)}.`);
  }
}
