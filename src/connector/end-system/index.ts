export { definePreset } from './define-preset.js';
export { type EndSystemFetchOptions, endSystemFetch, listenTo } from './end-system-fetch.js';
export type { EndSystemFailure, EndSystemRequest } from './failure.js';
export type {
  BodyCondition,
  BodyPath,
  CountReading,
  HeaderReading,
  Match,
  Preset,
  PresetRule,
  QuotaSource,
  WaitBucket,
  WaitSource,
  WaitUnit,
} from './preset.js';
export type { PresetName } from './presets/index.js';
export { readResponse } from './read-response.js';
