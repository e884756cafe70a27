import { defineConfig, type Options } from 'tsup';
import { thirdPartyLicenses } from './scripts/third-party-licenses.js';

const shared: Options = {
  target: 'node20',
  // Bundled: structured-headers is a few kilobytes that a user need not install; commander is the command's alone.
  noExternal: ['structured-headers', 'commander', '@clack/prompts', '@clack/core', 'yaml'],
  // What is bundled asks for its license to be in every copy.
  esbuildPlugins: [thirdPartyLicenses('dist')],
  // `node:sqlite` exists only under its full name.
  removeNodeProtocol: false,
};

/** The command uses the package's entry points as they lie beside it, instead of a second copy of them. */
const ownEntries: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'own-entries',
  setup(build) {
    build.onResolve({ filter: /\.\.\/(?:client|conformance|connector|testing)\/index\.js$/ }, ({ path }) => ({
      path: `../${path.replace(/^(?:\.\.\/)+/, '')}`,
      external: true,
    }));
  },
};

export default defineConfig([
  {
    ...shared,
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
      'integrations/redis/index': 'src/integrations/redis/index.ts',
      'integrations/bullmq/index': 'src/integrations/bullmq/index.ts',
      'integrations/opentelemetry/index': 'src/integrations/opentelemetry/index.ts',
    },
    format: ['esm', 'cjs'],
    // Shared chunks keep one ConnectorError class for all subpaths, in CommonJS too, so `instanceof` holds between them.
    splitting: true,
    // `import.meta.url` in the CommonJS files, too.
    shims: true,
    dts: { compilerOptions: { ignoreDeprecations: '6.0', noEmit: false } },
  },
  {
    ...shared,
    entry: { 'cli/main': 'src/cli/main.ts' },
    format: ['esm'],
    splitting: false,
    // Nobody imports it, and most of it is what others wrote.
    minify: true,
    esbuildPlugins: [...(shared.esbuildPlugins ?? []), ownEntries],
    // commander is CommonJS and asks for Node's own modules by require.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
]);
