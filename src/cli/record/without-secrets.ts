import { isSecretField, redactedMark } from '../../internal/index.js';
import type { RecordedBody, RecordedRequest, Recording } from '../../testing/index.js';
import { UsageError } from '../io.js';
import { given } from '../values.js';
import { Cleaning, type Judgment } from './cleaning.js';
import type { Recorded } from './recorder.js';

/**
 * The recording without the secrets that were sent and received, and without what has the name of a secret or is to be
 * masked; and the places where only the sound of a name was the reason. @throws UsageError naming the places where a secret
 * is left, or something that looks like one; never the secret.
 */
export function withoutSecrets({ recording, secrets }: Recorded, judgment: Judgment) {
  // JSON first: a config may hold a Date or another object.
  const { exchanges, ...rest } = JSON.parse(JSON.stringify(recording)) as Recording;
  const query = exchanges.flatMap(({ request }) => [...new URL(request.path, 'http://recording').searchParams]);
  const inQuery = query.filter((field) => isSecretField(field) && !judgment.keep.includes(field[0]));
  const session = rest.initialize?.session.map((name) => name.toLowerCase()) ?? [];
  const renewed = exchanges.flatMap(({ response: { headers } }) => session.map((name) => headers[name] ?? ''));
  const cleaning = new Cleaning([...secrets, ...inQuery.map(([, value]) => value), ...renewed], judgment);
  const clean = exchanges.map(({ request, response }, index) => {
    const place = cleaning.hasSecret(request.path) ? `request ${index + 1}` : nameOf(request);
    const headers = request.headers && cleaning.members(request.headers, `${place}: request.headers`);
    return {
      request: {
        method: request.method,
        path: cleaning.text(request.path, `${place}: request.path`),
        ...given({ headers }),
        ...marked(cleaning.body(request, `${place}: request`), request),
      },
      response: {
        status: response.status,
        headers: cleaning.members(response.headers, `${place}: response.headers`, session),
        ...cleaning.body(response, `${place}: response`),
      },
    };
  });
  if (cleaning.left.size > 0) {
    throw new UsageError(
      `Nothing was written: a secret may be left at${listed(cleaning.left)}\n` +
        'Mask members of JSON and headers with --mask NAME and other texts with --mask text. ' +
        'Do not record a request whose path or bytes have a secret, or declare with --keep NAME that a name is harmless.',
    );
  }
  return { recording: { ...rest, exchanges: clean } as Recording, masked: cleaning.masked };
}

/** Of a request in which only numbers were masked, the whole body: with zeros, it would be sent again. */
function marked(clean: RecordedBody, { json, text }: RecordedRequest): RecordedBody {
  const after = JSON.stringify(clean);
  if (after.includes(redactedMark) || after === JSON.stringify({ json, text })) return clean;
  return text === undefined ? { json: redactedMark } : { text: redactedMark };
}

/** One place a line. */
export function listed(places: ReadonlySet<string>): string {
  const more = places.size > 20 ? [`and ${places.size - 20} more`] : [];
  return [...[...places].slice(0, 20), ...more].map((place) => `\n  ${place}`).join('');
}

const nameOf = ({ method, path }: RecordedRequest) => `${method} ${path.replace(/\?.*/, '')}`;
