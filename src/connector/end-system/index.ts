export { definePreset } from './define-preset.js';
export { type EndSystemFetchOptions, endSystemFetch } from './end-system-fetch.js';
export type { EndSystemFailure, EndSystemRequest } from './failure.js';
export type {
  BodyCondition,
  BodyPath,
  Match,
  Preset,
  PresetRule,
  WaitBucket,
  WaitSource,
  WaitUnit,
} from './preset.js';
export type { PresetName } from './presets/index.js';
