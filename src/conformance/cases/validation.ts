import { type CaseDefinition, isOneOf } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import { lacksProbe, lacksSample, lacksSession, takeSample } from '../probing/samples.js';

/** Requests that are wrong in themselves. */
export const validationCases: CaseDefinition[] = [
  {
    id: 'validation.payload',
    rule: 'E2',
    feature: 'validation',
    title: 'A payload that is not valid is a 400',
    why: 'The service reports a 400 and goes on with the next record. It retries a 500, and the record fails each time.',
    lacks: (prober) => lacksSample(prober, 'invalid-payload'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'invalid-payload'), isOneOf(400), '400');
    },
  },
  {
    id: 'validation.broken-json',
    rule: 'E2',
    feature: 'validation',
    title: 'Broken JSON is a 400',
    why: 'A cut request is the fault of the request. As a 500 it looks like a defect of the connector, and is retried.',
    lacks: (prober) =>
      lacksProbe(prober, 'invalid') ??
      (prober.settings.invalid?.body === undefined ? 'needs a `probes.invalid` with a body' : undefined) ??
      (prober.canLogIn ? lacksSession(prober) : undefined),
    async check(judge) {
      const invalid = judge.settings.invalid as ReadyRequest;
      judge.status(await judge.prober.sendWithSession({ ...invalid, body: '{"title": ' }), isOneOf(400), '400');
    },
  },
  {
    id: 'validation.initialize-broken-json',
    rule: 'E2',
    feature: 'session',
    title: 'Broken JSON for initialize is a 400',
    why: 'Anything may reach a public address. A 5xx from initialize is retried, again and again.',
    lacks: (prober) => lacksSample(prober, 'broken-json'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'broken-json'), isOneOf(400), '400');
    },
  },
  {
    id: 'validation.initialize-parameters',
    rule: 'S1',
    feature: 'session',
    title: 'Parameters of initialize that are none are a 400 or a 401',
    why: 'The service stops at once on a refusal, and names what its user has to correct.',
    lacks: (prober) => lacksSample(prober, 'broken-parameters'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'broken-parameters'), isOneOf(400, 401), '400 or 401');
    },
  },
];
