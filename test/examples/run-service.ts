import { spawn } from 'node:child_process';
import type { GitHubOptions } from '../../examples/service/options.js';
import type { Summary } from '../../examples/service/summary.js';
import { newDataDirectory, root, serviceArguments, serviceEnvironment } from './service-environment.js';

export interface ServiceRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The last line of stdout as JSON. */
  summary(): Summary;
}

export interface RunSettings {
  github?: GitHubOptions;
  environment?: Readonly<Record<string, string>>;
  /** Called with stderr as far as it has come; answers whether it is time for Ctrl-C. */
  interruptWhen?(stderr: string): boolean;
}

/** Runs the service as `npm start` does, in a process of its own, until it ends. */
export function runService(
  args: string[],
  { github, environment, interruptWhen }: RunSettings = {},
): Promise<ServiceRun> {
  const child = spawn(process.execPath, [...serviceArguments, ...args], {
    cwd: root,
    env: serviceEnvironment({
      ...(github && {
        GITHUB_API_URL: github.apiUrl,
        GITHUB_TOKEN: github.token,
        SOURCE_REPO: github.source,
        TARGET_REPO: github.target,
      }),
      CONCORDAT_DATA: newDataDirectory(),
      ...environment,
    }),
  });
  let stdout = '';
  let stderr = '';
  let interrupted = false;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    if (interrupted || !interruptWhen?.(stderr)) return;
    interrupted = true;
    child.kill('SIGINT');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const summary = () => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Summary;
      resolve({ code, stdout, stderr, summary });
    });
  });
}
