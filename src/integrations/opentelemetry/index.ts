/**
 * Spans and metrics of connector calls.
 *
 * @module concordat/opentelemetry
 */

export { type InstrumentOptions, instrument, instrumentAll } from './instrument.js';
