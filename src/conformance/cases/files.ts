import { casesWith, isOneOf } from '../case.js';
import { summarize } from '../probing/exchange.js';
import { lacksFile } from '../probing/lacks.js';
import { CannotCheck, type Completed, hasResponse } from '../probing/limits.js';
import { hasSucceeded, isSuccess, maxFileBytes, type Prober, toFileRequest } from '../probing/prober.js';
import { deadSession } from '../probing/with-session.js';
import { ofSample } from './sample-status.js';

/** The file that the probes name (rules D1, D2). */
export const fileCases = casesWith({ lacks: lacksFile }, [
  {
    id: 'files.whole',
    rule: 'D2',
    title: 'A file arrives whole, as long as content-length says, and compressed only if the request accepts that',
    why: 'The service stores what arrives. Nobody notices half a file until somebody needs it.',
    async check(judge) {
      const seen = await takeFile(judge.prober);
      judge.status(seen, isSuccess, 'the whole file (2xx)');
      if (!hasResponse(seen) || seen.response.broken !== undefined) return;
      const { headers, bytes } = seen.response;
      const [encoding, length] = [headers.get('content-encoding') ?? '', headers.get('content-length')];
      const isPacked = !['', 'identity'].includes(encoding.toLowerCase());
      if (isPacked && acceptsOnlyIdentity(seen))
        judge.found(seen, ` with content-encoding: ${encoding}, although the request accepts only identity`);
      if (length === null || isPacked || Number(length) === bytes.length) return;
      judge.found(seen, `; ${bytes.length} bytes arrived, but content-length says ${length}`);
    },
  },
  {
    id: 'files.bytes',
    rule: 'D1',
    title: 'A file arrives byte for byte',
    why: 'A connector that reads a file as text silently corrupts binary files.',
    lacks: (prober) => {
      const { sha256, bytes } = prober.settings.file ?? {};
      const isKnown = sha256 !== undefined || bytes !== undefined;
      return lacksFile(prober) ?? (isKnown ? undefined : 'needs `probes.file.sha256` or `probes.file.bytes`');
    },
    async check(judge) {
      const { sha256, bytes: expected } = judge.settings.file ?? {};
      const seen = await readFile(judge.prober);
      const { bytes } = seen.response;
      if (expected !== undefined && bytes.length !== expected)
        judge.found(seen, ` with ${bytes.length} bytes; expected ${expected}`);
      const found = await hexSha256(bytes);
      if (sha256 !== undefined && found !== sha256.toLowerCase())
        judge.found(seen, ` with the SHA-256 ${found}; expected ${sha256}`);
    },
  },
  {
    id: 'files.content-type',
    rule: 'D1',
    title: 'A file is sent as text or JSON only if the probe says so',
    why: "The service's client parses JSON and decodes text, which changes the bytes of other files.",
    async check(judge) {
      const declared = judge.settings.file?.contentType?.toLowerCase();
      const seen = await readFile(judge.prober);
      const type = seen.response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
      if (declared === undefined ? !isText(type) : type === declared) return;
      const expected = declared ?? 'one for bytes, such as application/octet-stream';
      judge.found(seen, ` with ${type === '' ? 'no content type' : type}; expected ${expected}`);
    },
  },
  {
    id: 'files.range',
    rule: 'D2',
    title: 'A range request gets the rest of the file, or the whole file',
    why: 'The service resumes broken downloads. The wrong part produces a corrupt file.',
    async check(judge) {
      const { prober } = judge;
      const whole = await readFile(prober);
      const { bytes, headers } = whole.response;
      const from = Math.floor(bytes.length / 2);
      if (from === 0) throw new CannotCheck('the file is too short to have parts');
      const condition = headers.get('etag') ?? '';
      const ifRange = condition.startsWith('"') ? { 'if-range': condition } : {};
      const seen = await takeFile(prober, { range: `bytes=${from}-`, ...ifRange });
      const completed = judge.response(seen);
      if (completed === undefined) return;
      const { status, headers: head, bytes: part } = completed.response;
      const isPart = status === 206;
      if (!isPart) judge.status(seen, isOneOf(200), '206 with the rest, or 200 with the whole file');
      const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
      if (isPart && head.get('content-range') !== range)
        judge.found(seen, ` with content-range "${head.get('content-range') ?? ''}"; expected "${range}"`);
      const expected = await hexSha256(isPart ? bytes.subarray(from) : bytes);
      if (isOneOf(200, 206)(status) && (await hexSha256(part)) !== expected)
        judge.found(seen, `; these are not the bytes from ${isPart ? from : 0} on`);
    },
  },
  {
    id: 'files.session',
    rule: 'E2',
    title: 'A request for a file gets a 401 without a session, and with an invalid one',
    why: 'Files are often served outside the other routes, without a session check.',
    ...ofSample('file-without-session', async (judge, seen) => {
      const { prober } = judge;
      judge.status(seen, isOneOf(401), '401');
      if (judge.problems.length > 0) return;
      const dead = await prober.send(toFileRequest(prober), await deadSession(prober));
      judge.status(dead, isOneOf(401), '401 to an invalid session');
    }),
  },
]);

function takeFile(prober: Prober, headers: Record<string, string> = {}) {
  return prober.once(`file ${headers.range ?? ''}`, async () => {
    const seen = await prober.sendWithSession(toFileRequest(prober, headers));
    if (!hasSucceeded(seen) || seen.response.broken) return seen;
    const { bytes, truncated } = seen.response;
    if (truncated) throw new CannotCheck(`the file has more than ${maxFileBytes} bytes; probe a smaller one`);
    // What the report shows.
    return { ...seen, response: { ...seen.response, body: `[${bytes.length} bytes]` } };
  });
}

/** The file. @throws CannotCheck when there is none: `files.whole` reports that. */
async function readFile(prober: Prober): Promise<Completed> {
  const seen = await takeFile(prober);
  if (hasSucceeded(seen) && !seen.response.broken) return seen;
  throw new CannotCheck(`there is no file (${summarize(seen)})`);
}

/** The headers of the probe may accept more. */
function acceptsOnlyIdentity({ request }: Completed): boolean {
  return new Headers(request.headers).get('accept-encoding') === 'identity';
}

/** Whether the client returns this content type as something other than bytes. */
function isText(type: string): boolean {
  return type === '' || /^text\/|[/+](?:json|xml)$|^application\/x-www-form-urlencoded$/.test(type);
}

async function hexSha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
