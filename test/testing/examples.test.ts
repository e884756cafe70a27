// The examples are tests themselves: they run here as they stand.
import '../../examples/testing/a-day-of-limits.test.js';
