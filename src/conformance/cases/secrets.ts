import type { CaseDefinition } from '../case.js';
import { type Exchange, summarize } from '../probing/exchange.js';
import { lacksRequest, lacksSample, lacksSession, takeErrors, takeSample } from '../probing/samples.js';

const canaries = {
  authorization: 'Bearer concordat-canary-authorization-7f3a9c',
  cookie: 'sid=concordat-canary-cookie-51d08e',
  'x-api-key': 'concordat-canary-api-key-c64b2f',
};

/** Nothing secret comes back in an error: errors are logged, shown to users and sent to others (rule E5). */
export const secretCases: CaseDefinition[] = [
  {
    id: 'secrets.session',
    rule: 'E5',
    feature: 'session',
    title: 'No error holds a value of the session',
    why: 'Whoever reads the log could take over the session.',
    lacks: lacksSession,
    async check(judge) {
      const { prober } = judge;
      const values = Object.values(await prober.session()).filter(isLong);
      for (const seen of await takeErrors(prober)) {
        const text = textOf(seen);
        if (values.some((value) => text.includes(value))) {
          judge.problem(`${summarize(seen)}: the answer holds a value of the session`, seen);
        }
      }
    },
  },
  {
    id: 'secrets.parameters',
    rule: 'E5',
    feature: 'session',
    title: 'A refused login does not echo its secrets',
    why: 'A wrong password is most often the right one with a typing error, or the one for another system.',
    lacks: (prober) => lacksSample(prober, 'wrong-password'),
    async check(judge) {
      const seen = await takeSample(judge.prober, 'wrong-password');
      const secrets = (judge.settings.initialize.wrongParameters ?? []).filter(
        ({ sensitive, value }) => sensitive && isLong(value),
      );
      const text = textOf(seen);
      for (const { key, value } of secrets) {
        if (text.includes(value)) judge.problem(`${summarize(seen)}: the answer holds the value of "${key}"`, seen);
      }
    },
  },
  {
    id: 'secrets.credentials',
    rule: 'E5',
    title: 'No error holds the credentials of its request',
    why: "Proxies and gateways add authorization, cookie and x-api-key: they are nobody else's to see.",
    lacks: ({ settings }) => lacksRequest(settings.unknownRoute, 'probes.unknownRoute', settings.allowWrites),
    async check(judge) {
      const { prober, settings } = judge;
      const session = prober.canLogIn ? await prober.session() : {};
      const taken = new Set(Object.keys(session).map((name) => name.toLowerCase()));
      const headers = Object.fromEntries(Object.entries(canaries).filter(([name]) => !taken.has(name)));
      for (const value of Object.values(headers)) prober.secrets.add(value);
      for (const request of [settings.unknownRoute, settings.unknown]) {
        if (request === undefined || lacksRequest(request, '', settings.allowWrites) !== undefined) continue;
        const seen = await prober.send({ ...request, headers: { ...request.headers, ...headers } }, session);
        const text = textOf(seen);
        for (const [name, value] of Object.entries(headers)) {
          const secret = value.replace(/^(?:Bearer |sid=)/, '');
          if (text.includes(secret))
            judge.problem(`${summarize(seen)}: the answer holds the value of \`${name}\``, seen);
        }
      }
    },
  },
];

/** Shorter values turn up by chance. */
const isLong = (value: string) => value.length >= 8;

function textOf({ response }: Exchange): string {
  if (response === undefined) return '';
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return `${headers}\n${response.body}\n${response.body.replaceAll('\\/', '/').replaceAll('\\"', '"')}`;
}
