import { expectNoViolation } from './expect-no-violation.js';

// Each is as long as twenty of the others.
expectNoViolation('crowds', 20);
