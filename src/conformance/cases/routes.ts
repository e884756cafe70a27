import { type CaseDefinition, isOneOf, isSuccess } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import { type Prober, sessionOf } from '../probing/prober.js';
import { lacksProbe, lacksSample, lacksSession, takeSample } from '../probing/samples.js';

/** A request that answers without a failure, and what is answered to those that lead nowhere. */
export const routeCases: CaseDefinition[] = [
  {
    id: 'routes.readable',
    rule: 'S1',
    title: 'A request with a session succeeds',
    why: 'All else is judged by what the same request answers without a session, with a dead one, or too often.',
    lacks: (prober) => lacksProbe(prober, 'readable'),
    async check(judge) {
      const seen = await judge.prober.sendWithSession(judge.settings.readable as ReadyRequest);
      judge.status(seen, isSuccess, 'a success (2xx)');
    },
  },
  {
    id: 'routes.unknown-resource',
    rule: 'E2',
    title: 'A resource that is not there is a 404',
    why: 'The service drops what is gone on a 404. Any other status keeps a dead record alive, or stops the synchronization.',
    lacks: (prober) => lacksSample(prober, 'unknown-resource'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'unknown-resource'), isOneOf(404), '404');
    },
  },
  {
    id: 'routes.unknown-route',
    rule: 'E2',
    title: 'A route that is not there is a 404',
    why: 'A 401 would make the service log in again for nothing, and a 200 would be taken for data.',
    lacks: (prober) => lacksSample(prober, 'unknown-route'),
    async check(judge) {
      const seen = await takeSample(judge.prober, 'unknown-route');
      const hasSession = judge.prober.canLogIn && sessionOf(await judge.prober.login()) !== undefined;
      if (hasSession) judge.status(seen, isOneOf(404), '404');
      else judge.status(seen, isOneOf(401, 404), '404 (or 401, since no session was sent)');
    },
  },
  {
    id: 'routes.denial',
    rule: 'E2',
    feature: 'access',
    title: 'A resource that this session may not see is a 403',
    why: 'A 401 would make the service log in again and again: the session is good, only this resource is closed to it.',
    lacks: (prober) => lacksSample(prober, 'denial'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'denial'), isOneOf(403), '403');
    },
  },
  {
    id: 'routes.failure',
    rule: 'E4',
    title: 'A failure behind the connector is a 5xx',
    why: 'The service retries a 5xx. A failure told as a success loses data, and one told as a 4xx is given up at once.',
    lacks: (prober) => lacksSample(prober, 'failure'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'failure'), (status) => status >= 500 && status <= 599, '500 to 599');
    },
  },
  {
    id: 'routes.head',
    rule: 'E2',
    severity: 'warning',
    title: 'HEAD is answered as GET is, or refused',
    why: 'Health checks and proxies send HEAD. A connector that fails at it looks broken.',
    lacks: (prober) => lacksReading(prober),
    async check(judge) {
      const readable = judge.settings.readable as ReadyRequest;
      const got = judge.response(await judge.prober.sendWithSession(readable));
      const seen = await judge.prober.sendWithSession({ ...readable, method: 'HEAD' });
      judge.status(seen, isOneOf(got?.response.status ?? 200, 404, 405, 501), 'the status of GET, or 404, 405, 501');
    },
  },
  {
    id: 'routes.options',
    rule: 'E2',
    severity: 'warning',
    title: 'OPTIONS does not make the connector fail',
    why: 'Browsers and gateways send OPTIONS by themselves. It may be refused, but it is no reason to fail.',
    lacks: (prober) => lacksReading(prober),
    async check(judge) {
      const seen = await judge.prober.sendWithSession({
        ...(judge.settings.readable as ReadyRequest),
        method: 'OPTIONS',
      });
      judge.status(seen, (status) => status < 500 || status === 501, 'less than 500, or 501');
    },
  },
  {
    id: 'routes.huge-body',
    rule: 'E4',
    title: 'A huge body is refused, and the connector lives on',
    why: 'One request must not take the connector down for everybody. Ending the connection is fine, falling over is not.',
    async check(judge) {
      const { prober, settings } = judge;
      const body = JSON.stringify([{ key: 'concordat', value: 'x'.repeat(4 * 1024 * 1024), sensitive: false }]);
      const request = {
        method: 'POST',
        path: settings.initialize.path,
        headers: { 'content-type': 'application/json' },
        body,
      };
      const seen = await prober.send(request);
      if (seen.response !== undefined)
        judge.status(seen, (status) => status >= 400 && status < 500, 'a 4xx, such as 413');
      else if (seen.failure?.startsWith('no whole answer')) judge.response(seen);
      judge.response(await prober.send(settings.unknownRoute));
    },
  },
];

function lacksReading(prober: Prober): string | undefined {
  const { readable } = prober.settings;
  if (readable !== undefined && readable.method !== 'GET') return 'needs a `probes.readable` that is a GET';
  return lacksProbe(prober, 'readable') ?? (prober.canLogIn ? lacksSession(prober) : undefined);
}
