/**
 * Holds the public types of every subpath against the reports in api/, and fails when they differ:
 *
 *   npm run api               compares
 *   npm run api -- --update   writes the reports; commit them with the change
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const root = path.resolve(import.meta.dirname, '..');
const declarations = path.join(root, '.cache/api');
const reports = path.join(root, 'api');
const update = process.argv.includes('--update');

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { import: { types: string } }>;
};
const entries = Object.entries(manifest.exports).filter(([subpath]) => subpath !== './package.json');

const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const project = path.join(root, 'tsconfig.api.json');
execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
mkdirSync(reports, { recursive: true });

const changed = entries.flatMap(
  ([
    subpath,
    {
      import: { types },
    },
  ]) => {
    const name = subpath === '.' ? 'concordat' : subpath.slice(2).replaceAll('/', '-');
    return matches(name, path.join(declarations, path.relative('dist', types))) ? [] : [name];
  },
);
if (changed.length > 0 && !update) {
  console.error(`The public types of ${changed.join(', ')} have changed. If that is meant: npm run api -- --update`);
  process.exitCode = 1;
} else console.log(`${entries.length} subpaths, ${changed.length} reports written`);

/** Whether the report of a subpath is up to date; writes it with `--update`. */
function matches(name: string, entry: string): boolean {
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      bundledPackages: [],
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: project, skipLibCheck: true },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: reports,
        reportTempFolder: path.join(declarations, 'reports'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, 'package.json'),
  });
  const result = Extractor.invoke(config, {
    localBuild: update,
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  return !result.apiReportChanged;
}
