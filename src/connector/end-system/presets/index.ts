import type { Preset } from '../preset.js';
import { generic } from './generic.js';
import { github } from './github.js';

/** The presets that can be asked for by name. */
export const presets = { generic, github } as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
