import { expectNoViolation } from './expect-no-violation.js';

// Each is as long as ten of those with few calls.
expectNoViolation('announced', 25);
