/**
 * Has tools that others wrote judge the OpenAPI documents, the Admin API and the MCP endpoint: `npm run judges`. They come
 * by npx, each at one version. One that the registry does not give is skipped, and the table says why; with
 * CONCORDAT_JUDGES_REQUIRED=1 that is a failure.
 */
import path from 'node:path';
import Table from 'cli-table3';
import { onDisk, openApiDocuments } from './generate-openapi.js';
import { startAdministration } from './judges/administration.js';
import { drive } from './judges/drive.js';
import { fetchTool, runTool, startTool, type Tool } from './judges/tool.js';

interface Judge extends Tool {
  readonly judges: string;
  /** @returns what it found; throws with its output, if that is not good */
  judge(): Promise<string>;
}

const documents = Object.keys(openApiDocuments).map(onDisk);
const own = (file: string) => path.join(import.meta.dirname, 'judges', file);

const redocly: Judge = {
  package: '@redocly/cli@2.77.0',
  command: 'redocly',
  judges: 'the OpenAPI documents',
  async judge() {
    await runTool(this, ['lint', ...documents]);
    return `${documents.length} documents, no warning`;
  },
};

const spectral: Judge = {
  package: '@stoplight/spectral-cli@6.16.3',
  command: 'spectral',
  judges: 'the OpenAPI documents',
  async judge() {
    await runTool(this, ['lint', '--ruleset', own('spectral.yaml'), '--fail-severity', 'warn', ...documents]);
    return `${documents.length} documents, no warning`;
  },
};

const prism: Judge = {
  package: '@stoplight/prism-cli@5.14.2',
  command: 'prism',
  judges: 'requests and responses of the Admin API',
  async judge() {
    await using administration = await startAdministration();
    const upstream = `${administration.url}/api/v1`;
    await using proxy = await startTool(
      this,
      ['proxy', '--errors', '--port', '0', onDisk('docs/openapi/admin-api.yaml'), upstream],
      /Prism is listening on (http:\S+)/,
    );
    return await drive(proxy.url, administration);
  },
};

const mcpConformance: Judge = {
  package: '@modelcontextprotocol/conformance@0.1.13',
  command: 'conformance',
  judges: 'the MCP endpoint',
  async judge() {
    await using administration = await startAdministration();
    const output = await runTool(this, [
      'server',
      ...['--url', `${administration.url}/mcp`, '--suite', 'all', '--expected-failures', own('mcp-baseline.yaml')],
    ]);
    const [passed, exempt] = [/^✓ \S+: [1-9]/gm, /^ {2}~ /gm].map((line) => output.match(line)?.length ?? 0);
    if (passed === 0) throw new Error(output);
    return `${passed} scenarios passed; ${exempt} do not apply, see mcp-baseline.yaml`;
  },
};

const isRequired = process.env.CONCORDAT_JUDGES_REQUIRED === '1';
const table = new Table({ head: ['judge', 'of', 'result', 'seconds'], style: { head: [], border: [] } });
for (const judge of [redocly, spectral, prism, mcpConformance]) {
  console.log(`${judge.package} …`);
  const startedAt = performance.now();
  const result = await resultOf(judge);
  table.push([judge.package, judge.judges, result, ((performance.now() - startedAt) / 1000).toFixed(1)]);
}
console.log(String(table));

async function resultOf(judge: Judge): Promise<string> {
  try {
    const reason = await fetchTool(judge);
    if (reason === undefined) return await judge.judge();
    if (isRequired) process.exitCode = 1;
    return `SKIPPED: ${reason}`;
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof Error ? error.message : error);
    return 'FAILED: see above';
  }
}
