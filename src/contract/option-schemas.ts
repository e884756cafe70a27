import { oneOf, option } from '../internal/index.js';
import { headerProblem } from './session-parameters.js';
import { waitFormats } from './wait-header.js';

/** The name of a header that a response can carry. */
export const headerNameOption = option<string>(
  (value) => typeof value === 'string' && headerProblem(value, '') === undefined,
  'must be the name of a header',
  true,
);

/** How a wait is written (rule W4). */
export const waitFormatOption = oneOf(waitFormats);
