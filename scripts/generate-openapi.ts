/** Writes the OpenAPI documents under docs/openapi/ from the code. `--check` only says whether they are up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { createOpenApiDocument } from '../src/admin/api/openapi-document.js';
import { buildContractDocument } from './contract-document.js';

const header = '# Generated from the schemas of the code by scripts/generate-openapi.ts. Do not edit it by hand.\n';
const toYaml = (document: unknown) => header + stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });

/** Every document by its path from the root of the project. */
export const openApiDocuments: Readonly<Record<string, () => string>> = {
  'docs/openapi/connector-contract.yaml': () => toYaml(buildContractDocument()),
  'docs/openapi/admin-api.yaml': () => toYaml(createOpenApiDocument('/api/v1')),
};

export const onDisk = (file: string): string => path.resolve(import.meta.dirname, '..', file);

if (process.argv[1] === import.meta.filename) {
  for (const [file, generate] of Object.entries(openApiDocuments)) {
    if (!process.argv.includes('--check')) writeFileSync(onDisk(file), generate());
    else if (readFileSync(onDisk(file), 'utf8') !== generate()) {
      throw new Error(`${file} is not up to date: npm run openapi`);
    }
  }
}
