import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { root, serviceArguments, serviceEnvironment } from './service-environment.js';

export interface RunningService {
  /** Of the administration, without a slash at the end. */
  readonly url: string;
  /** The passwords that this start printed. */
  readonly passwords: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
  /** To the Admin API, as a user by Basic (`name:password`), or with a key. */
  call(credentials: string, method: string, path: string, body?: object): Promise<Called>;
  /** Makes a key for a user. */
  createKey(credentials: string, name: string): Promise<{ id: string; key: string }>;
  /** Resolves when the output, stdout and stderr, contains the text. */
  printed(text: string): Promise<void>;
  /** Ctrl-C, or another signal. Resolves to the exit code; `null` after SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
  readonly body: any;
}

/** In 90 days: keys of tests expire then. */
export const expiresOn = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);

/** Starts the service as `npm start` does, on a free port and with few issues, and waits for its administration. */
export async function startService(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  ready = 'Emulated GitHub:',
): Promise<RunningService> {
  const child = spawn(process.execPath, [...serviceArguments, '--port', '0', '--issues', '1', ...args], {
    cwd: root,
    env: serviceEnvironment(environment),
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(() => kill(child, closed));
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of waiting) look();
    });
  }
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!(output.stdout + output.stderr).includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      closed.then(() => reject(new Error(`Ended without "${text}":\n${output.stdout}${output.stderr}`)));
      look();
    });
  // The announcement is printed whole; this is what follows it.
  await printed(ready);
  const text = output.stdout + output.stderr;
  const url = /^Administration: (http:\/\/\S+)\/$/m.exec(text)?.[1] as string;

  const service: RunningService = {
    url,
    passwords: Object.fromEntries(
      [...text.matchAll(/^ {2}(admin|uma|sam) +((?:[a-z2-9]{5}-){3}[a-z2-9]{5}) /gm)].map(([, name, word]) => [
        name,
        word,
      ]),
    ),
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    async call(credentials, method, path, body) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...authorization(credentials),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    async createKey(credentials, name) {
      const { status, body } = await service.call(credentials, 'POST', '/api-keys', { name, expiresOn });
      if (status !== 201) throw new Error(`POST /api-keys: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    printed,
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      return (await closed)[0];
    },
  };
  return service;
}

export async function statusOf(service: RunningService, credentials: string): Promise<number> {
  return (await service.call(credentials, 'GET', '/me')).status;
}

/** That the service has printed none of these. */
export function expectSilenceAbout(service: RunningService, secrets: readonly string[]): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5);
    expect(service.stdout + service.stderr).not.toContain(secret);
  }
}

export function authorization(credentials: string): Record<string, string> {
  if (credentials.startsWith('ck_')) return { 'x-api-key': credentials };
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

async function kill(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await closed;
}
