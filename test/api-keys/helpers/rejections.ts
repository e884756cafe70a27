import { ApiKeyError } from 'concordat/api-keys';
import { expect } from 'vitest';

/** The `ApiKeyError` a call was refused with; fails when it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiKeyError> {
  const outcome = await call.then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ApiKeyError);
  return outcome as ApiKeyError;
}
