import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Sources: recorded from Redmine 5.0.4; https://www.redmine.org/projects/redmine/wiki/Rest_api
/**
 * Redmine. It has no limit of its own: a limit comes from the server in front of it. Refusals have no body; a 422 lists
 * sentences. A user who may not create issues gets a 422, too.
 */
export const redmine: Preset = {
  name: 'redmine',
  rules: [tooManyRequests],
};
