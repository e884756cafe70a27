import * as testing from 'concordat/testing';
import { expect, it } from 'vitest';

it('concordat/testing exports these names', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'AccountingError',
    'limitFormats',
    'simulateConnector',
    'virtualClock',
    'waitFlaws',
  ]);
});
