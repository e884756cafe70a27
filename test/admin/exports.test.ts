import * as admin from 'concordat/admin';
import { expect, it } from 'vitest';

it('concordat/admin exports these names', () => {
  expect(Object.keys(admin).sort()).toEqual(['createAdmin']);
});
