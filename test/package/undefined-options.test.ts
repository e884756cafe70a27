import type { AdminOptions } from 'concordat/admin';
import type { OpenApiKeysOptions } from 'concordat/api-keys';
import type { ConnectorClientOptions, RateLimitOptions, RequestOptions } from 'concordat/client';
import type { ConformanceOptions } from 'concordat/conformance';
import type { ConnectorOptions, EndSystemFetchOptions, RunningServer, ServeOptions } from 'concordat/connector';
import type { InstrumentOptions } from 'concordat/opentelemetry';
import type { RedisStateOptions } from 'concordat/redis';
import type { SimulateConnectorOptions, SimulatedRateLimit, SimulatedSession } from 'concordat/testing';
import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';

type OptionalNames<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];
type Optional<T> = Pick<T, OptionalNames<T>>;
type Undefined<T> = { [Name in OptionalNames<T>]: undefined };

/** The compiler checks it. As `{ prefix: process.env.PREFIX }` may be, under `exactOptionalPropertyTypes`. */
it('an option that may be left out may be undefined', () => {
  expectTypeOf<Undefined<ConnectorClientOptions>>().toExtend<Optional<ConnectorClientOptions>>();
  type Cleanup = NonNullable<ConnectorClientOptions['cleanup']>;
  expectTypeOf<Undefined<Cleanup>>().toExtend<Optional<Cleanup>>();
  expectTypeOf<Undefined<RateLimitOptions>>().toExtend<Optional<RateLimitOptions>>();
  expectTypeOf<Undefined<RequestOptions>>().toExtend<Optional<RequestOptions>>();
  type ConnectorOptionsOfAny = ConnectorOptions<z.ZodType, z.ZodObject>;
  expectTypeOf<Undefined<ConnectorOptionsOfAny>>().toExtend<Optional<ConnectorOptionsOfAny>>();
  expectTypeOf<Undefined<EndSystemFetchOptions>>().toExtend<Optional<EndSystemFetchOptions>>();
  expectTypeOf<Undefined<ServeOptions>>().toExtend<Optional<ServeOptions>>();
  type Close = NonNullable<Parameters<RunningServer['close']>[0]>;
  expectTypeOf<Undefined<Close>>().toExtend<Optional<Close>>();
  expectTypeOf<Undefined<InstrumentOptions>>().toExtend<Optional<InstrumentOptions>>();
  expectTypeOf<Undefined<RedisStateOptions>>().toExtend<Optional<RedisStateOptions>>();
  expectTypeOf<Undefined<OpenApiKeysOptions>>().toExtend<Optional<OpenApiKeysOptions>>();
  expectTypeOf<Undefined<AdminOptions>>().toExtend<Optional<AdminOptions>>();
  expectTypeOf<Undefined<ConformanceOptions>>().toExtend<Optional<ConformanceOptions>>();
  expectTypeOf<Undefined<SimulateConnectorOptions>>().toExtend<Optional<SimulateConnectorOptions>>();
  expectTypeOf<Undefined<SimulatedRateLimit>>().toExtend<Optional<SimulatedRateLimit>>();
  expectTypeOf<Undefined<SimulatedSession>>().toExtend<Optional<SimulatedSession>>();
});
