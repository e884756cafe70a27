import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { SessionParameter } from '../contract/index.js';
import { hasSecretName } from '../internal/index.js';
import { type Io, UsageError } from './io.js';

/** Reads `key=value`, `key=env:NAME` and `key=prompt` of a flag; the last two are secrets. */
export async function readParameters(texts: readonly string[], flag: string, io: Io): Promise<SessionParameter[]> {
  const parameters: SessionParameter[] = [];
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1)
      throw new UsageError(
        `"${at === 0 ? '=…' : text.slice(0, 40)}" is not a parameter: write KEY=VALUE, KEY=env:NAME or KEY=prompt.`,
      );
    const key = text.slice(0, at);
    parameters.push(await readParameter(key, text.slice(at + 1), flag, io));
  }
  return parameters;
}

/** Reads the headers of `--header` in the same way: `name: value` or `name=value`. */
export async function readHeaders(texts: readonly string[], io: Io): Promise<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(|\S.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError('Write a header as NAME=VALUE.');
    headers[name] = (await readParameter(name, value, '--header', io)).value;
  }
  return headers;
}

async function readParameter(key: string, text: string, flag: string, io: Io): Promise<SessionParameter> {
  if (text.startsWith('env:')) {
    return { key, value: readEnvironment(text, io.env, `"${flag} ${key}=env:…"`), sensitive: true };
  }
  if (text === 'prompt') return { key, value: await prompt(key, io), sensitive: true };
  // The process list and the shell's history show command lines.
  if (hasSecretName(key)) {
    const name = key.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    throw new UsageError(
      `"${key}" looks like a secret, and other users can see command lines. ` +
        `Write ${key}=env:${name} with the value in the environment variable ${name}, or ${key}=prompt to be asked.`,
    );
  }
  return { key, value: text, sensitive: false };
}

/** The value of `env:NAME`. @throws UsageError naming `place`, where it is written, if there is none. */
export function readEnvironment(text: string, env: Io['env'], place: string): string {
  const name = text.slice('env:'.length);
  const value = env[name];
  if (value === undefined || value === '') {
    // Not quoted: of `env:$PASSWORD` the shell makes the password.
    throw new UsageError(`The environment variable for ${place} is not set. Write its name without "$".`);
  }
  return value;
}

/** Asks on the terminal without showing the input. */
async function prompt(key: string, { stdin, stderr, signal }: Io): Promise<string> {
  if (!stdin.isTTY) {
    throw new UsageError(`There is no terminal to ask for "${key}": write ${key}=env:NAME instead.`);
  }
  stderr.write(`${key}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stop = () => reject(new UsageError('Nothing was entered.'));
      signal.addEventListener('abort', stop, { once: true });
      lines.once('line', resolve);
      lines.once('SIGINT', stop);
      lines.once('close', stop);
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
