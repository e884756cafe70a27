import type {
  ConnectorErrorOptions,
  ErrorKind,
  ErrorPayload,
  ParseWaitOptions,
  SessionParameter,
  WaitFormat,
} from 'concordat';
import * as concordat from 'concordat';
import { expect, expectTypeOf, it } from 'vitest';

it("exports exactly these names from 'concordat'", () => {
  expect(Object.keys(concordat).sort()).toEqual([
    'BadRequestError',
    'ConnectorError',
    'ForbiddenError',
    'NotFoundError',
    'RateLimitError',
    'UnauthorizedError',
    'errorPayloadSchema',
    'errorTable',
    'formatWait',
    'isConnectorError',
    'parseErrorPayload',
    'parseWait',
    'sessionParameterSchema',
    'waitFormats',
  ]);
});

it('exports the types that go with them', () => {
  expectTypeOf<SessionParameter>().toEqualTypeOf<{ key: string; value: string; sensitive: boolean }>();
  expectTypeOf<ErrorPayload>().toExtend<{ errors: { code: string; message: string; detail?: string | undefined } }>();
  expectTypeOf<ConnectorErrorOptions['status']>().toEqualTypeOf<number>();
  expectTypeOf<ErrorKind>().toExtend<string>();
  expectTypeOf<ParseWaitOptions['format']>().toEqualTypeOf<WaitFormat | undefined>();
});

it('has no default export', () => {
  expect(concordat).not.toHaveProperty('default');
});
