/** Writes docs/openapi/connector-contract.yaml from the code. `--check` only says whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { buildContractDocument } from './contract-document.js';

const file = path.resolve(import.meta.dirname, '../docs/openapi/connector-contract.yaml');
const header = '# Generated from the schemas of the code by scripts/generate-openapi.ts. Do not edit it by hand.\n';

export const contractYaml = (): string =>
  header + stringify(buildContractDocument(), { lineWidth: 120, aliasDuplicateObjects: false });

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--check')) {
    if (readFileSync(file, 'utf8') !== contractYaml())
      throw new Error(`${file} is not up to date: npx tsx scripts/generate-openapi.ts`);
  } else {
    writeFileSync(file, contractYaml());
  }
}
