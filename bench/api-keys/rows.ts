import { hash } from 'node:crypto';
import type { DirectoryUser } from 'concordat/api-keys';
// Not by the package's subpath: what makes keys is its secret, and a million calls of `create` would take half an hour.
import { generateKey } from '../../src/api-keys/keys/key-format.js';
import { seededRandom } from '../../src/internal/numbers.js';

/** A key as a service has them after two years; `key` is its value, which no database holds. */
export interface FilledKey {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly name: string;
  /** `''` for none, as two keys in three. */
  readonly description: string;
  readonly owner: Owner;
  readonly createdOnMs: number;
  readonly expiresOnMs: number;
  readonly revokedOnMs: number | null;
  readonly lastAccessedMs: number;
}

export interface Owner {
  readonly id: string;
  readonly username: string;
}

export const owners: readonly Owner[] = Array.from({ length: 5000 }, (_, index) => ({
  id: `u-${index}`,
  username: `${['ada', 'grace', 'linus', 'edsger', 'barbara', 'donald', 'radia', 'ken'][index % 8]}.${index}`,
}));

/** In memory: what a host's look-up of the owner costs is the host's. */
export function directory() {
  const users = new Map<string, DirectoryUser>(owners.map((owner) => [owner.id, owner]));
  users.set('u-root', { id: 'u-root', username: 'root', superAdmin: true });
  return {
    findById: (id: string) => users.get(id),
    findByUsername: (username: string) => [...users.values()].find((user) => user.username === username),
  };
}

const systems = [
  'Jira',
  'Confluence',
  'SAP',
  'GitLab',
  'Salesforce',
  'ServiceNow',
  'Workday',
  'Datadog',
  'Okta',
  'Box',
];
const jobs = ['nightly sync', 'import', 'export', 'backup', 'dashboard', 'CI', 'reporting', 'migration', 'webhook'];
/** Three keys of the whole table have it in their names. */
export const rareWord = 'quarterly';
export const frequentWord = 'nightly';
const dayMs = 86_400_000;

/** Sorted by id, so that a table in that order is filled from front to back. */
export function makeKeys(count: number, nowMs: number): FilledKey[] {
  const random = seededRandom(20_261_121);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, (_, index): FilledKey => {
    const createdOnMs = nowMs - Math.floor(random() * 730 * dayMs) - 60_000;
    const expiresOnMs = createdOnMs + pick([90, 180, 365, 365]) * dayMs;
    const endMs = Math.min(nowMs, expiresOnMs);
    const revokedOnMs = random() < 0.05 ? createdOnMs + Math.floor(random() * (endMs - createdOnMs)) : null;
    const lastUseMs = revokedOnMs ?? endMs;
    return {
      ...generateKey(),
      name: `${pick(systems)} ${index % Math.ceil(count / 3) === 7 ? rareWord : pick(jobs)} ${index}`,
      description: random() < 0.33 ? `Runs on ${pick(jobs)} machine ${index % 997}; ask ${pick(owners).username}.` : '',
      owner: pick(owners),
      createdOnMs,
      expiresOnMs,
      revokedOnMs,
      lastAccessedMs: random() < 0.7 ? createdOnMs + Math.floor(random() * (lastUseMs - createdOnMs)) : 0,
    };
  }).sort((one, other) => (one.id < other.id ? -1 : 1));
}

export function isActive({ revokedOnMs, expiresOnMs }: FilledKey, nowMs: number): boolean {
  return revokedOnMs === null && expiresOnMs > nowMs;
}

/** A row of concordat_api_key, without the counters, which have defaults. */
export function keyRow({ id, secret, name, description, owner, ...key }: FilledKey) {
  return {
    id,
    name,
    description,
    name_search: name.toLowerCase(),
    owner_id: owner.id,
    owner_username: owner.username,
    owner_search: owner.username,
    secret_hash: hash('sha256', secret, 'buffer'),
    pepper_version: 0,
    created_on: key.createdOnMs,
    expires_on: key.expiresOnMs,
    revoked_on: key.revokedOnMs,
    last_accessed: key.lastAccessedMs,
    version: key.revokedOnMs === null ? 1 : 2,
  };
}

/** A row of concordat_api_key_search. */
export function searchRow({ id, name, owner, description }: FilledKey) {
  return { id, text: [name, owner.username, description].join('\n').toLowerCase() };
}

/** Rows of concordat_api_key_audit: one for the creation, one for the revocation. */
export function auditRows({ id, name, owner, createdOnMs, expiresOnMs, revokedOnMs }: FilledKey) {
  const common = { api_key_id: id, owner_id: owner.id, name, author_id: owner.id, author_username: owner.username };
  const changesOfCreate = [
    { field: 'name', from: null, to: name },
    { field: 'expiresOn', from: null, to: new Date(expiresOnMs).toISOString() },
  ];
  const create = {
    ...common,
    change_time: createdOnMs,
    revision_type: 'Create',
    changes: JSON.stringify(changesOfCreate),
    origin: 'UI',
  };
  if (revokedOnMs === null) return [create];
  const changes = JSON.stringify([{ field: 'status', from: 'Active', to: 'Revoked' }]);
  return [create, { ...common, change_time: revokedOnMs, revision_type: 'Revoke', changes, origin: 'UI' }];
}
