import { expectNoViolation } from './expect-no-violation.js';

// Each is as long as twenty of those with few calls.
expectNoViolation('sessions-used-up', 20);
