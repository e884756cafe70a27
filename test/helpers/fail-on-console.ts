import { afterEach, beforeEach } from 'vitest';

// Concordat speaks through events and return values only: anything printed while a test runs is a defect.
const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;
const originals = new Map(methods.map((method) => [method, console[method]]));
let printed: string[] = [];

beforeEach(() => {
  printed = [];
  for (const method of methods) {
    console[method] = (...values: unknown[]) => {
      printed.push(`console.${method}: ${values.map(String).join(' ')}`);
    };
  }
});

afterEach(() => {
  for (const [method, original] of originals) console[method] = original;
  if (printed.length > 0) throw new Error(`The test printed to the console:\n${printed.join('\n')}`);
});
