import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** Where the build puts the licenses, in the folder of the bundles. */
export const licensesFile = 'THIRD-PARTY-LICENSES.txt';

const heading = `Concordat contains code of the packages below, under these licenses.
`;

/**
 * Writes the licenses of all packages whose code is in a bundle beside the bundles, as esbuild's own list of what it has
 * put there says. One plugin for all builds of a folder: the last one writes them all.
 */
export function thirdPartyLicenses(folder: string): Plugin {
  const packages = new Set<string>();
  return {
    name: 'third-party-licenses',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
          for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
            const root = bytesInOutput > 0 ? packageRoot(file) : undefined;
            if (root !== undefined) packages.add(root);
          }
        }
        mkdirSync(folder, { recursive: true });
        writeFileSync(path.join(folder, licensesFile), [heading, ...[...packages].sort().map(notice)].join('\n'));
      });
    },
  };
}

/** The text of a package's license. @throws Error when the package has none: then it must not be bundled. */
export function licenseOf(packageFolder: string): string {
  const file = readdirSync(packageFolder).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  if (file === undefined) throw new Error(`${packageFolder} has no license, and its code is bundled`);
  return readFileSync(path.join(packageFolder, file), 'utf8').trim();
}

function packageRoot(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function notice(packageFolder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
  return `${'-'.repeat(80)}\n${title}\n\n${licenseOf(packageFolder)}\n`;
}
