import { type CaseDefinition, isOneOf } from '../case.js';
import { incompleteLogins } from '../probing/incomplete-logins.js';
import { ofSample, sampleStatus } from './sample-status.js';

export const validationCases: CaseDefinition[] = [
  {
    id: 'validation.payload',
    rule: 'E2',
    feature: 'validation',
    title: 'An invalid payload gets a 400',
    why: 'After a 400 the service reports the record and continues with the next. It would retry a 500, which fails each time.',
    ...sampleStatus('invalid-payload', isOneOf(400), '400'),
  },
  {
    id: 'validation.broken-json',
    rule: 'E2',
    feature: 'validation',
    title: 'Broken JSON gets a 400',
    why: 'A truncated request is the fault of its sender. A 500 looks like a defect of the connector, and is retried.',
    ...sampleStatus('broken-payload', isOneOf(400), '400'),
  },
  {
    id: 'validation.initialize-broken-json',
    rule: 'E2',
    feature: 'session',
    title: 'Broken JSON for initialize gets a 400',
    why: 'Anything may reach a public address, and the service retries a 5xx from initialize again and again.',
    ...sampleStatus('broken-json', isOneOf(400), '400'),
  },
  {
    id: 'validation.initialize-parameters',
    rule: 'S1',
    feature: 'session',
    title: 'Malformed or missing parameters of initialize get a 400, 401 or 403',
    why: 'The service then stops at once and tells its user what to correct. It would retry a 500, which fails each time.',
    ...ofSample('broken-parameters', async (judge, refused) => {
      judge.refusal(refused);
      for (const { what, seen } of await incompleteLogins(judge.prober)) {
        if (judge.problems.length === 0) judge.refusal(seen, what);
      }
    }),
  },
];
