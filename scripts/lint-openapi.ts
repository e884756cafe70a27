/** Lints the OpenAPI documents by Redocly and Spectral, which tools/package.json brings: `npm run test:openapi`. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { onDisk, openApiDocuments } from './generate-openapi.js';

const tools = path.resolve(import.meta.dirname, '../tools');
const documents = Object.keys(openApiDocuments).map(onDisk);
const linters = [
  ['redocly', 'lint', ...documents],
  ['spectral', 'lint', '--fail-severity', 'warn', ...documents],
];

for (const [linter = '', ...parameters] of linters) {
  const { status, error } = spawnSync(path.join(tools, 'node_modules/.bin', linter), parameters, {
    cwd: tools,
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
