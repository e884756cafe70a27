import type {
  ConnectorErrorOptions,
  ErrorKind,
  ErrorPayload,
  ParseWaitOptions,
  SessionParameter,
  WaitFormat,
} from 'concordat';
import { expectTypeOf, it } from 'vitest';

it('exports the types that go with them', () => {
  expectTypeOf<SessionParameter>().toEqualTypeOf<{ key: string; value: string; sensitive: boolean }>();
  expectTypeOf<ErrorPayload>().toExtend<{ errors: { code: string; message: string; detail?: string | undefined } }>();
  expectTypeOf<ConnectorErrorOptions['status']>().toEqualTypeOf<number>();
  expectTypeOf<ErrorKind>().toExtend<string>();
  expectTypeOf<ParseWaitOptions['format']>().toEqualTypeOf<WaitFormat | undefined>();
});
