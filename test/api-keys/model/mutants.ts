import { type ApiKey, type ApiKeys, isApiKeyError, type Page, type Verification } from 'concordat/api-keys';
import type { Operation } from './operations.js';
import type { Wrap } from './run-plan.js';

/** A wrong wrapper around the real thing. It is made anew for each plan, because some remember what they saw. */
export interface Mutant {
  readonly rule: string;
  readonly wrong: string;
  /** Which operations to try most; others would find it, too, but later. */
  readonly about: readonly Operation['kind'][];
  make(): Wrap;
}

const mutant = (rule: string, wrong: string, about: Mutant['about'], make: () => Wrap): Mutant => ({
  rule,
  wrong,
  about,
  make,
});
const sue = { userId: 'u-sue', username: 'sue' };

const changed = (real: ApiKeys, changes: Partial<ApiKeys>): ApiKeys =>
  new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Changes the keys of every page. */
const shows = (real: ApiKeys, show: (key: ApiKey) => ApiKey): ApiKeys =>
  changed(real, {
    list: async (...given) => {
      const page = await real.list(...given);
      return { ...page, items: page.items.map(show) };
    },
  });

/** Lets keys in that were refused for this reason. */
const admits = (reason: string) => () => {
  const owners = new Map<string, string>();
  const wrap: Wrap = (real) => {
    const verify: ApiKeys['verify'] = async (...given): Promise<Verification> => {
      const verified = await real.verify(...given);
      if (verified.outcome !== 'refused' || verified.reason !== reason || !verified.apiKeyId) return verified;
      return { outcome: 'authenticated', apiKeyId: verified.apiKeyId, userId: owners.get(verified.apiKeyId) ?? '' };
    };
    return changed(real, {
      verify,
      create: async (...given) => {
        const created = await real.create(...given);
        owners.set(created.apiKey.id, created.apiKey.createdBy.id);
        return created;
      },
    });
  };
  return wrap;
};

export const mutants: readonly Mutant[] = [
  mutant('K11', 'a revoked key authenticates', ['revoke', 'present'], admits('revoked')),
  mutant(
    'K6',
    'the audit entry of an edited description is forgotten',
    ['update'],
    () => (real) =>
      changed(real, {
        audits: async (...given) => {
          const { total, ...page } = await real.audits(...given);
          const items = page.items.filter(
            (entry) => entry.revisionType !== 'Update' || entry.changes[0]?.field !== 'description',
          );
          return { ...page, items, ...(total !== undefined && { total: total - page.items.length + items.length }) };
        },
      }),
  ),
  mutant(
    'K7',
    'everybody may list all keys',
    ['look'],
    () => (real) => changed(real, { list: (actor, query) => real.list(query?.scope === 'all' ? sue : actor, query) }),
  ),
  mutant(
    'K3',
    'a name that is taken is accepted in another form',
    ['create'],
    () => (real) =>
      changed(real, {
        create: (actor, input) => {
          const isOther = typeof input.name === 'string' && input.name !== input.name.normalize('NFC');
          return real.create(actor, isOther ? { ...input, name: `${input.name.normalize('NFC')}\ufe0e` } : input);
        },
      }),
  ),
  mutant(
    'K7',
    "another user's key is shown",
    ['get'],
    () => (real) =>
      changed(real, {
        get: (actor, id) =>
          real
            .get(actor, id)
            .catch((error) => (isApiKeyError(error, 'not-found') ? real.get(sue, id) : Promise.reject(error))),
      }),
  ),
  mutant('K12', 'keys work in every edition', ['edition', 'present'], admits('edition')),
  mutant('K11', 'the keys of a deleted user work', ['person', 'present'], admits('owner')),
  mutant(
    'K4',
    'a bare date is its beginning',
    ['create'],
    () => (real) =>
      changed(real, {
        create: (actor, input) => {
          const isDate = typeof input.expiresOn === 'string' && /^\d{4}-\d\d-\d\d$/.test(input.expiresOn);
          return real.create(actor, isDate ? { ...input, expiresOn: `${input.expiresOn}T00:00:00Z` } : input);
        },
      }),
  ),
  mutant(
    'K5',
    'a clock that is set back revives a key in a list',
    ['clock', 'look'],
    () => (real, _process, now) =>
      shows(real, (key) =>
        key.status === 'Expired' && Date.parse(key.expiresOn) > now() ? { ...key, status: 'Active' } : key,
      ),
  ),
  mutant(
    'K10',
    'a refused use counts as access',
    ['revoke', 'present'],
    () => (real) => shows(real, (key) => ({ ...key, lastAccessed: key.lastRefusedOn ?? key.lastAccessed })),
  ),
  mutant(
    'K8',
    'of two keys the first decides',
    ['present'],
    () => (real) =>
      changed(real, {
        verify: async (headers, lookups, from) => {
          const verified = await real.verify(headers, lookups, from);
          if (verified.outcome !== 'refused' || verified.reason !== 'different-keys') return verified;
          const first = new Headers(
            Array.isArray(headers) && Array.isArray(headers[0]) ? (headers as [string, string][]) : {},
          );
          return real.verify({ 'x-api-key': first.get('x-api-key') ?? '' }, lookups, from);
        },
      }),
  ),
  mutant(
    'K17',
    'an edit does not look at the version',
    ['update'],
    () => (real) =>
      changed(real, { update: (actor, id, { version: _, ...changes }) => real.update(actor, id, changes) }),
  ),
  mutant(
    'K13',
    'only the first wrong field is told',
    ['create'],
    () => (real) =>
      changed(real, {
        create: async (...given) => {
          try {
            return await real.create(...given);
          } catch (error) {
            if (isApiKeyError(error)) Object.assign(error, { fieldErrors: error.fieldErrors.slice(0, 1) });
            throw error;
          }
        },
      }),
  ),
  mutant('K11', 'a process remembers what it has listed', ['revoke'], () => (real) => {
    const pages = new Map<string, Promise<Page<ApiKey>>>();
    const list: ApiKeys['list'] = (actor, query) => {
      const asked = JSON.stringify([actor, query]);
      const page = pages.get(asked) ?? real.list(actor, query);
      pages.set(asked, page);
      return page;
    };
    const forgetting = <T extends unknown[], R>(call: (...given: T) => Promise<R>) => {
      return (...given: T) => {
        pages.clear();
        return call.apply(real, given);
      };
    };
    return changed(real, { list, create: forgetting(real.create), update: forgetting(real.update) });
  }),
  mutant(
    'K11',
    'the keys of a deleted user stay Active',
    ['delete-user'],
    () => (real) => changed(real, { userDeleted: async () => ({ revoked: 0 }) }),
  ),
  mutant(
    'specification 4',
    'a key falls between two pages',
    ['walk'],
    () => (real) =>
      changed(real, {
        list: async (actor, query) => {
          const page: Page<ApiKey> = await real.list(actor, query);
          return query?.cursor === undefined ? page : { ...page, items: page.items.slice(1) };
        },
      }),
  ),
  mutant(
    'K19',
    'who cannot be looked up has no keys',
    ['trouble', 'look'],
    () => (real) =>
      changed(real, {
        list: (actor, query) =>
          real
            .list(actor, query)
            .catch((error) =>
              isApiKeyError(error, 'unavailable') ? { items: [], nextCursor: null } : Promise.reject(error),
            ),
      }),
  ),
  mutant(
    'K24',
    'a search looks at case',
    ['list'],
    () => (real) =>
      changed(real, {
        list: async (actor, query) => {
          const page = await real.list(actor, query);
          const search = query?.search?.trim() ?? '';
          if (search === search.toLowerCase()) return page;
          return { ...page, items: page.items.filter(({ id, name }) => `${id}\n${name}`.includes(search)) };
        },
      }),
  ),
  mutant(
    'K11',
    'nobody hears of a revocation',
    ['revoke'],
    () => (real) => changed(real, { onInvalidated: () => () => {} }),
  ),
];
