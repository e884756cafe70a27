import { baseStyles } from './base.js';
import { controlStyles } from './controls.js';
import { dataStyles } from './data.js';
import { layoutStyles } from './layout.js';
import { printStyles } from './print.js';
import { tokenStyles } from './tokens.js';

/** The one stylesheet. */
export const stylesheet = [tokenStyles, baseStyles, layoutStyles, controlStyles, dataStyles, printStyles]
  .join('')
  .trim();
