import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'connector/index': 'src/connector/index.ts',
    'connector/adapters/express': 'src/connector/adapters/express.ts',
    'connector/adapters/fastify': 'src/connector/adapters/fastify.ts',
    'connector/adapters/hono': 'src/connector/adapters/hono.ts',
    'connector/adapters/node': 'src/connector/adapters/node.ts',
    'client/index': 'src/client/index.ts',
    'api-keys/index': 'src/api-keys/index.ts',
    'admin/index': 'src/admin/index.ts',
    'testing/index': 'src/testing/index.ts',
    'conformance/index': 'src/conformance/index.ts',
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  // Shared chunks keep one ConnectorError class for all subpaths, in CommonJS too, so `instanceof` holds between them.
  splitting: true,
  // Bundled because it is ESM only: `require('concordat/client')` must work on Node 20.
  noExternal: ['p-retry', 'is-network-error'],
  dts: { compilerOptions: { ignoreDeprecations: '6.0', noEmit: false } },
  // `node:sqlite` exists only under its full name.
  removeNodeProtocol: false,
  clean: true,
  sourcemap: false,
});
