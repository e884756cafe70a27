import { expectNoViolation } from './expect-no-violation.js';

expectNoViolation('limits');
