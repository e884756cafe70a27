import type { SessionParameter } from '../../contract/index.js';
import { hasSecretName } from '../../internal/index.js';
import type { CaseDefinition, Judge } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import { incompleteLogins } from '../probing/incomplete-logins.js';
import { lacksProbe, lacksSession } from '../probing/lacks.js';
import { NothingToCheck } from '../probing/limits.js';
import { canBeFound, isTooShort, shows, showsParameter } from '../probing/mask.js';
import { hasSucceeded } from '../probing/prober.js';
import { brokenSecrets, takeErrors, takeOthers } from '../probing/samples.js';
import { deadParts, secretsOfSession } from '../probing/with-session.js';
import { ofSample } from './sample-status.js';

const canaries = {
  authorization: 'Bearer concordat-canary-authorization-7f3a9c',
  cookie: 'sid=concordat-canary-cookie-51d08e',
  'x-api-key': 'concordat-canary-api-key-c64b2f',
};

/** Errors contain no secrets, because they are logged and shown to users (rule E5). */
export const secretCases: CaseDefinition[] = [
  {
    id: 'secrets.session',
    rule: 'E5',
    feature: 'session',
    title: 'No error contains a value of the session, or a secret of its login',
    why: 'Anybody who can read the log could take over the session, or log in.',
    lacks: lacksSession,
    async check(judge) {
      const { prober, settings } = judge;
      const values = (await secretsOfSession(prober)).map(({ value }) => value).filter(canBeFound);
      const { path, parameters } = settings.initialize;
      const secrets = secretsOfLogin(parameters);
      for (const seen of await takeErrors(prober)) {
        if (showsAny(seen, values)) judge.found(seen, `: the response contains a value of the session`);
        if (seen.request.path !== path) lookFor(judge, secrets, seen); // there: `secrets.parameters`
      }
    },
  },
  {
    id: 'secrets.parameters',
    rule: 'E5',
    feature: 'session',
    title: 'A refused login does not echo its secrets',
    why: 'A wrong password is often the right one with a typo, or the one for another system.',
    ...ofSample('wrong-password', async (judge, refused) => {
      const { prober, settings } = judge;
      const wrong = secretsOfLogin(settings.initialize.wrongParameters);
      lookFor(judge, wrong, refused);
      const keys = secretsOfLogin(settings.initialize.parameters).map(({ key }) => key);
      for (const { parameters, seen } of await incompleteLogins(prober)) {
        const sent = parameters.filter(({ key }) => keys.includes(key));
        if (!hasSucceeded(seen)) lookFor(judge, sent, seen);
      }
      if (wrong.length === 0)
        throw new NothingToCheck('`probes.initialize.wrongParameters` has no secret that has at least four characters');
    }),
  },
  {
    id: 'secrets.dead-session',
    rule: 'E5',
    feature: 'session',
    title: 'The refusal of a session does not quote it',
    why: 'A session that is refused here may be valid elsewhere, or again tomorrow. Errors end up in logs and tickets.',
    ...ofSample('dead-session', async (judge, seen) => {
      const { prober } = judge;
      const values = [...(await deadParts(prober)).values()];
      const { others } = await takeOthers(prober, 'dead-session');
      const shown = [seen, ...others.map((other) => other.seen)].find((each) => showsAny(each, values));
      if (shown !== undefined) judge.found(shown, `: the response quotes the token of the session that it refuses`);
    }),
  },
  {
    id: 'secrets.broken-json',
    rule: 'E5',
    feature: 'session',
    title: 'The refusal of broken JSON for initialize does not echo it',
    why: 'A body that was cut off still has the password in it.',
    ...ofSample('broken-json', (judge, seen) => {
      if (showsAny(seen, brokenSecrets(judge.prober)))
        judge.found(seen, `: the response echoes what was sent, the password included`);
    }),
  },
  {
    id: 'secrets.credentials',
    rule: 'E5',
    title: 'No error contains the credentials of its request',
    why: 'Proxies and gateways add authorization, cookie and x-api-key, which nobody else may see.',
    lacks: (prober) => lacksProbe(prober, 'unknownRoute'),
    async check(judge) {
      const { prober, settings } = judge;
      const session = prober.canLogIn ? await prober.session() : {};
      const taken = new Set(Object.keys(session).map((name) => name.toLowerCase()));
      const headers = Object.fromEntries(Object.entries(canaries).filter(([name]) => !taken.has(name)));
      for (const value of Object.values(headers)) prober.secrets.add(value);
      const refused = prober.canLogIn ? (['readable'] as const) : [];
      for (const name of ['unknownRoute', 'unknown', 'forbidden', 'failing', ...refused] as const) {
        const request = settings[name];
        if (request === undefined || lacksProbe(prober, name) !== undefined) continue;
        const withHeaders = { ...request, headers: { ...request.headers, ...headers } };
        const seen = await prober.send(withHeaders, name === 'readable' ? {} : session);
        if (hasSucceeded(seen)) continue;
        const text = textOf(seen);
        for (const [name, value] of Object.entries(headers)) {
          const secret = value.replace(/^(?:Bearer |sid=)/, '');
          if (shows(text, secret)) judge.found(seen, `: the response contains the value of \`${name}\``);
        }
      }
    },
  },
];

/** Where all are marked as sensitive, as in a record, their names decide: errors may name addresses, and users. */
function secretsOfLogin(parameters: readonly SessionParameter[] = []): readonly SessionParameter[] {
  const marked = parameters.filter(({ sensitive }) => sensitive);
  const named = marked.filter(({ key }) => hasSecretName(key));
  const secrets = named.length > 0 && marked.length === parameters.length ? named : marked;
  const open = new Set(parameters.filter((each) => !secrets.includes(each)).map(({ value }) => value));
  return secrets.filter(({ value }) => !isTooShort(value) && !open.has(value));
}

/** Looks for the secrets of a login. */
function lookFor(judge: Judge, parameters: readonly SessionParameter[], seen: Exchange): void {
  const text = textOf(seen);
  for (const { key, value } of parameters) {
    if (showsParameter(text, key, value)) judge.found(seen, `: the response contains the value of "${key}"`);
  }
}

function showsAny(seen: Exchange, values: readonly string[]): boolean {
  const text = textOf(seen);
  return values.some((value) => shows(text, value));
}

function textOf({ response }: Exchange): string {
  if (response === undefined) return '';
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return `${headers}\n${response.body}\n${response.body.replace(/\\(["\\/])/g, '$1')}`;
}
