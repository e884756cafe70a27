/**
 * Judges a connector from outside, in whatever language it is written.
 *
 * @module concordat/conformance
 */

export type { Problem, Severity } from './case.js';
export { type Case, ConformanceError, conformance } from './conformance.js';
export type { SeenExchange } from './exchange.js';
export {
  type ConformanceConfig,
  type ConformanceOptions,
  type Feature,
  features,
  type KnownFailures,
} from './options.js';
export type { ProbeParameters, ProbeRequest, Probes } from './probes.js';
export { formatReport, type Reporter, reporters } from './report.js';
export type { CaseResult, CaseStatus } from './result.js';
export { type Report, runConformance } from './run.js';
