/**
 * Calls of the client as OpenTelemetry sees them: spans and metrics.
 *
 * @module concordat/opentelemetry
 */

export { type InstrumentOptions, instrument, instrumentAll } from './instrument.js';
