import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Installs packages of the npm registry into a new, empty project. @throws with what npm says when it cannot. */
export function install(folder: string, dependencies: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  // The tests of some peers want older versions of others than the newest that the package allows.
  const words = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Installs a JavaScript runtime from its npm package.
 *
 * @param specifier such as `node@22`
 * @returns the path of its program, or `undefined`, after saying so, if it cannot be installed or does not start.
 */
export function installRuntime(folder: string, specifier: string): string | undefined {
  const [name = '', version = ''] = specifier.split('@');
  const program = path.join(folder, 'node_modules/.bin', name);
  try {
    install(folder, { [name]: version });
    execFileSync(program, ['--version'], { stdio: ['ignore', 'pipe', 'pipe'] });
    return program;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = String(stderr || message)
      .split('\n')
      .find((line) => line.trim() !== '');
    console.log(`skipped: ${specifier}: ${reason}`);
    console.log(
      `  It comes from the npm registry: run \`npm install ${specifier}\` to see why it cannot be installed.`,
    );
    return undefined;
  }
}
