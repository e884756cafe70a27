import { isSecretField, mostSecrets, querySecrets } from '../../internal/index.js';
import { headerSecrets } from '../errors/redact.js';
import { asRequest } from './failure.js';
import { decodeXml, localName, readXml } from './read-soap.js';

/** Longer JSON is data: it holds no credentials, and reading it once more would take time. In XML they come first. */
const maxTextLength = 64 * 1024;

type Entry = readonly [name: string, value: string];

/**
 * The secrets in a request to the end system, which may repeat them in a failure (rule E5): in headers, query, form, JSON
 * and XML.
 */
export function outgoingSecrets(input: string | URL | Request, init: RequestInit = {}): string[] {
  const request = asRequest(input);
  const headers = entriesOf(init.headers ?? request?.headers ?? {});
  const read = (name: string) =>
    headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => String(value));
  return [
    ...headerSecrets(
      read,
      headers.filter(isSecretField).map(([name]) => name.toLowerCase()),
    ),
    ...querySecrets(request?.url ?? String(input)),
    ...first(fieldsOf(init.body, read('content-type').join()).filter(isSecretField)),
  ];
}

/** The values of as many fields as a login has: a list of records may have thousands. */
function first(fields: readonly Entry[]): string[] {
  return [...new Set(fields.map(([, value]) => value))].slice(0, mostSecrets);
}

/** Without `Headers`, which refuses what an own fetch may send. */
function entriesOf(headers: NonNullable<RequestInit['headers']>): Entry[] {
  return (Symbol.iterator in headers ? [...headers] : Object.entries(headers)) as Entry[];
}

function fieldsOf(body: unknown, contentType: string): Entry[] {
  if (body instanceof URLSearchParams) return [...body];
  if (typeof body === 'string') {
    if (contentType.includes('x-www-form-urlencoded')) return [...new URLSearchParams(body)];
    return /^\s*</.test(body) || contentType.includes('xml') ? textsInXml(body) : textsIn(body);
  }
  const fields = body instanceof FormData ? [...body] : [];
  return fields.filter((field): field is [string, string] => typeof field[1] === 'string');
}

/** The texts in JSON with their names, at any depth. */
function textsIn(json: string): Entry[] {
  const found: Entry[] = [];
  if (json.length > maxTextLength) return found;
  try {
    JSON.parse(json, (name, value) => {
      if (typeof value === 'string') found.push([name, value]);
    });
  } catch {
    // Not JSON, or nested too deep to be read by this or by the end system.
  }
  return found;
}

/** A name in a tag with its value, or the next character. */
const attribute = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?|./gsy;

/** The texts of elements in XML that come before other elements, and those of attributes, with their names. */
function textsInXml(xml: string): Entry[] {
  const found: Entry[] = [];
  let element: string | undefined;
  let written: string[] = [];
  const note = (name: string, value: string) => found.push([localName(name), value.trim()]);
  const leave = () => {
    if (element !== undefined) note(element, written.join(''));
    element = undefined;
  };
  const text = xml.slice(0, maxTextLength);
  // A document type, which may come before the first element, would end the reading.
  readXml(text.slice(Math.max(0, text.search(/<[^!?]/))), {
    open(name, attributes, isEmpty) {
      for (const [, key = '', double, single] of attributes.matchAll(attribute)) {
        if (!key.startsWith('xmlns')) note(key, decodeXml(double ?? single ?? ''));
      }
      if (isEmpty) return;
      leave();
      element = name;
      written = [];
    },
    text: (text) => void (element === undefined || written.push(text)),
    close: leave,
  });
  return found;
}
