export { type EndSystemFetchOptions, endSystemFetch } from './end-system-fetch.js';
export type { EndSystemFailure, EndSystemRequest } from './failure.js';
export {
  type BodyCondition,
  type BodyPath,
  definePreset,
  type Match,
  type Preset,
  type PresetRule,
  type WaitSource,
  type WaitUnit,
} from './preset.js';
export type { PresetName } from './presets/index.js';
