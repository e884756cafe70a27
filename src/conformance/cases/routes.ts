import { errorPayloadSchema } from '../../contract/index.js';
import { parseJson } from '../../internal/index.js';
import { type CaseDefinition, isOneOf } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import { lacksProbe, lacksReading } from '../probing/lacks.js';
import { CannotCheck } from '../probing/limits.js';
import { hasSucceeded, isSuccess, type Prober, sessionOf } from '../probing/prober.js';
import { takeSample } from '../probing/samples.js';
import { servedReadable, takeReadable } from '../probing/with-session.js';
import { dataProblem, isUnmarkedJson } from '../wording/data-body.js';
import { ofSample, sampleStatus } from './sample-status.js';

export const routeCases: CaseDefinition[] = [
  {
    id: 'routes.readable',
    rule: 'S1',
    title: 'A request with a session succeeds',
    why: 'The other cases send the same request without a session, with an invalid one, and too often.',
    lacks: (prober) => lacksProbe(prober, 'readable'),
    async check(judge) {
      const seen = await takeReadable(judge.prober);
      if (seen.response?.status === 401 && (await findsOriginalNames(judge.prober))) {
        const names =
          'the session is found only under its names as initialize wrote them, but the case of header names does not matter';
        judge.found(seen, `; ${names}`);
      } else judge.status(seen, isSuccess, 'a success (2xx)');
      if (hasSucceeded(seen) && errorPayloadSchema.safeParse(parseJson(seen.response.body)).success)
        judge.found(seen, ' with the body of an error; expected the status of an error');
    },
  },
  {
    id: 'routes.body',
    rule: 'D1',
    title: 'The body of a success can be read as its content type says',
    why: 'The client reports a body that is cut, or in another charset, as an error: nothing can be synchronized.',
    lacks: (prober) => lacksProbe(prober, 'readable'),
    async check(judge) {
      const seen = await servedReadable(judge.prober);
      if (seen.response.broken !== undefined) throw new CannotCheck('the body is not whole');
      const problem = dataProblem(seen);
      if (problem !== undefined) judge.found(seen, `: ${problem}`);
    },
  },
  {
    id: 'routes.no-page',
    rule: 'D1',
    severity: 'warning',
    title: 'A success is data, not a page, and JSON says that it is JSON',
    why: "Most often a page is the end system's login page, handed through as a success, which the service stores as data. It stores JSON without its content type as text or bytes.",
    lacks: (prober) => lacksProbe(prober, 'readable'),
    async check(judge) {
      const seen = await servedReadable(judge.prober);
      const type = seen.response.headers.get('content-type') ?? '';
      if (/^\s*text\/html\b/i.test(type)) judge.found(seen, ` with the content type ${type}`);
      else if (isUnmarkedJson(seen))
        judge.found(seen, `: the body is JSON, but content-type is ${type === '' ? 'missing' : type}`);
    },
  },
  {
    id: 'routes.unknown-resource',
    rule: 'E2',
    title: 'A missing resource gets a 404',
    why: 'On a 404 the service drops the record. Any other status keeps it, or stops the synchronization.',
    ...sampleStatus('unknown-resource', isOneOf(404), '404'),
  },
  {
    id: 'routes.unknown-route',
    rule: 'E2',
    title: 'A missing route gets a 404',
    why: 'On a 401 the service would log in again for nothing, and it would treat a 200 as data.',
    ...ofSample('unknown-route', async (judge, seen) => {
      const hasSession = judge.prober.canLogIn && sessionOf(await judge.prober.login()) !== undefined;
      if (hasSession) judge.status(seen, isOneOf(404), '404');
      else judge.status(seen, isOneOf(401, 404), '404 (or 401, since no session was sent)');
    }),
  },
  {
    id: 'routes.denial',
    rule: 'E2',
    feature: 'access',
    title: 'A resource that the session may not see gets a 403',
    why: 'A 401 would make the service log in again and again, although the session is valid.',
    ...sampleStatus('denial', isOneOf(403), '403'),
  },
  {
    id: 'routes.failure',
    rule: 'E4',
    title: 'A failure behind the connector gets a 5xx',
    why: 'The service retries a 5xx. After a 4xx it gives up at once, and a 2xx loses data.',
    ...sampleStatus('failure', (status) => status >= 500 && status <= 599, '500 to 599'),
  },
  {
    id: 'routes.head',
    rule: 'E2',
    severity: 'warning',
    title: 'HEAD gets the same status as GET, or is refused',
    why: 'Health checks and proxies send HEAD. A connector that fails on it looks broken.',
    lacks: lacksReading,
    async check(judge) {
      const readable = judge.prober.readable;
      const got = await servedReadable(judge.prober);
      const seen = await judge.prober.sendWithSession({ ...readable, method: 'HEAD' });
      judge.status(seen, isOneOf(got.response.status, 404, 405, 501), 'the status of GET, or 404, 405, 501');
    },
  },
  {
    id: 'routes.options',
    rule: 'E2',
    severity: 'warning',
    title: 'OPTIONS does not cause a server error',
    why: 'Browsers and gateways send OPTIONS on their own. A connector may refuse it, but must not fail.',
    ...sampleStatus('options', (status) => status < 500 || status === 501, 'less than 500, or 501'),
  },
  {
    id: 'routes.huge-body',
    rule: 'E4',
    title: 'The connector refuses a huge body and survives it',
    why: 'One request must not take the connector down for everybody. Closing the connection is fine, crashing is not.',
    async check(judge) {
      const { prober, settings } = judge;
      const seen = await takeSample(prober, 'huge-body');
      if (seen.response !== undefined)
        judge.status(seen, (status) => status >= 400 && status < 500, 'a 4xx, such as 413');
      else if (seen.failure?.kind === 'timeout') judge.response(seen);
      judge.response(await prober.send(settings.unknownRoute));
    },
  },
];

/** Whether the connector compares the names of the session's headers letter by letter. */
async function findsOriginalNames(prober: Prober): Promise<boolean> {
  const session = await prober.session();
  if (Object.keys(session).every((name) => name === name.toLowerCase())) return false;
  const readable = prober.readable;
  const seen: Exchange = await prober.send({ ...readable, headers: { ...readable.headers, ...session } });
  return hasSucceeded(seen);
}
