/**
 * Checks a connector over HTTP, in whatever language it is written.
 *
 * @module concordat/conformance
 */

export { type Case, ConformanceError, conformance, runConformance } from './conformance.js';
export {
  type ConformanceConfig,
  type ConformanceOptions,
  type Feature,
  features,
  type KnownFailures,
} from './options.js';
export type { ProbeParameters, ProbeRequest, Probes } from './probes.js';
export { formatReport, type Reporter, reporters } from './report/format-report.js';
export type { CaseResult, CaseStatus, Problem, Report, SeenExchange, Severity } from './result.js';
