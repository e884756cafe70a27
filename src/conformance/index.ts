/**
 * Judges a connector from outside, in whatever language it is written.
 *
 * @module concordat/conformance
 */

export { type Case, ConformanceError, conformance } from './conformance.js';
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
export { runConformance } from './run.js';
