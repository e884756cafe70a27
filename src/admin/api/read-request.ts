import { isObject, parseJson } from '../../internal/index.js';
import { AdminHttpError, invalidField } from '../http/errors.js';
import { readBoundedText } from '../http/read-bounded-text.js';

/** Far more than a name and a date need. */
const maxBodyBytes = 64 * 1024;

/** @throws AdminHttpError 400 when the body is too large or not a JSON object */
export async function readJsonObject(request: Request): Promise<Record<string, unknown>> {
  const tooLarge = () => new AdminHttpError(400, `The request body must not exceed ${maxBodyBytes} bytes.`);
  const text = await readBoundedText(request, maxBodyBytes, tooLarge);
  if (text === undefined) {
    throw new AdminHttpError(400, 'The request body must be a JSON object in UTF-8, and not compressed.');
  }
  const body = parseJson(text);
  if (!isObject(body)) throw new AdminHttpError(400, 'The request body must be a JSON object.');
  return body;
}

const whose = new Set(['createdBy', 'apiKeyId']);

/** An empty parameter of a query counts as omitted, as forms send them, unless it says whose entries are asked for. */
export const isOmitted = (field: string, value: unknown) => value === '' && !whose.has(field);

/**
 * The known parameters of a query. Others are ignored.
 *
 * @throws ApiKeyError `validation` for a parameter that is given twice: it is unclear which one is meant
 */
export function readQuery(url: string, known: readonly string[]): Record<string, unknown> {
  const parameters = new URL(url).searchParams;
  const query: Record<string, unknown> = {};
  for (const field of known) {
    const values = parameters.getAll(field);
    if (values.length > 1) throw invalidField(field, `\`${field}\` must be given once.`);
    const [value] = values;
    if (value !== undefined && !isOmitted(field, value)) query[field] = convert(field, value);
  }
  return query;
}

/** Other values stay text, which `apiKeys` refuses. */
function convert(field: string, value: string): unknown {
  if ((field === 'limit' || field === 'skip') && /^\d{1,9}$/.test(value)) return Number(value);
  if (field === 'total' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
