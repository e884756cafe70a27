import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Io, UsageError } from './io.js';
import { readText } from './values.js';

/** Reads `--openapi`: a URL, or a file in JSON or YAML. A path of the connector stays as it is. @throws UsageError */
export async function loadDocument(named: string, io: Io): Promise<string | object> {
  const isUrl = /^https?:\/\//.test(named);
  const file = path.resolve(io.cwd, named);
  if (!isUrl && !existsSync(file)) {
    if (named.startsWith('/')) return named;
    throw new UsageError(
      `The OpenAPI document ${named} does not exist. Give a file, a URL, or a path of the connector.`,
    );
  }
  try {
    const document = await parseText(isUrl ? await download(named, io) : readText(file));
    if (typeof document === 'object' && document !== null) return document;
  } catch (error) {
    io.signal.throwIfAborted();
    throw new UsageError(`The OpenAPI document ${named} cannot be read: ${(error as Error).message}`);
  }
  throw new UsageError(`The OpenAPI document ${named} is not an object in JSON or YAML.`);
}

/** YAML is loaded only for what is no JSON: it is larger than most commands. */
async function parseText(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) return JSON.parse(text);
  return (await import('yaml')).parse(text);
}

async function download(url: string, { signal }: Io): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]) });
  if (!response.ok) throw new Error(`the response is a ${response.status}`);
  return response.text();
}
