/**
 * OpenTelemetry spans and metrics for the client.
 *
 * @module concordat/opentelemetry
 */

export { type InstrumentOptions, instrument, instrumentAll } from './instrument.js';
