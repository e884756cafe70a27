import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Settings } from './options.js';

export type Names = ReturnType<typeof namesOf>;

/**
 * The keys of a connection, and the channel of its news. The braces keep them on one node of a cluster. Channels are the same in
 * all databases of a Redis, and ioredis puts its `keyPrefix` before keys only.
 */
export function namesOf({ redis, prefix, connection }: Pick<Settings, 'redis' | 'prefix' | 'connection'>) {
  const base = `${prefix}{${connection}}:`;
  const { keyPrefix = '', db = 0 } = redis.options;
  return {
    session: `${base}session`,
    lock: `${base}login`,
    refusal: `${base}refusal`,
    /** How the login of the holder of this token failed. */
    failureOf: (token: string) => `${base}failure:${token}`,
    pauses: `${base}pauses`,
    quotas: `${base}quotas`,
    news: `${keyPrefix}${base}news:${db}`,
  };
}

/** What a process that needs a newer session has to do. */
export type RenewalStep =
  | { type: 'session'; generation: number; sealed: string; ageMs: number | undefined }
  /** A login failed; `leftMs`: it was refused, and nobody tries another for so long. */
  | { type: 'failed'; failure: string; leftMs: number | undefined }
  | { type: 'login' }
  | { type: 'wait'; holder: string };

/** Reads the clock of Redis in a script. */
export const nowInScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** A script that is sent by its hash, and whole only to a Redis that does not know it yet. */
export function byHash(script: string) {
  const hash = createHash('sha1').update(script).digest('hex');
  return (redis: Redis, keyCount: number, ...words: (string | number)[]): Promise<unknown> =>
    redis.evalsha(hash, keyCount, ...words).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(script, keyCount, ...words);
    });
}

/** All commands of the scripts, in ways that change nothing. Redis before 7.2 does not say which one a user may not run. */
const findMissing = byHash(`
local missing = {}
local function try(command, ...)
  local reply = redis.pcall(command, ...)
  local reason = type(reply) == 'table' and reply.err or ''
  if reason:find("can't run this command", 1, true) or reason:find('no permissions to run', 1, true) then
    missing[#missing + 1] = '+' .. command
  end
end
local key = KEYS[1] .. ':rights'
try('time')
for _, command in ipairs({ 'get', 'del', 'pttl', 'hgetall' }) do try(command, key) end
for _, command in ipairs({ 'hget', 'hmget', 'pexpire' }) do try(command, key, 'name') end
for _, command in ipairs({ 'set', 'hset' }) do try(command, key, 'not', 'two', 'pairs') end
try('publish', key, '')
return table.concat(missing, ' ')`);

/** Rejects unless the user may run all commands: a script that stops at one of them would seem to be an outage, each time. */
export async function testRights(redis: Redis, prefix: string): Promise<void> {
  const missing = await findMissing(redis, 1, `${prefix}mark`);
  if (missing !== '') throw new Error(`NOPERM its user lacks ${missing}`);
}

const testScript = `${nowInScript}
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('PEXPIRE', KEYS[1], 3600000)
return { now, redis.call('GET', KEYS[1]) }`;

/**
 * Rejects unless Redis can be written: a replica that was the master cannot.
 *
 * @returns its clock, epoch milliseconds, and the mark on its data: with another one, it has lost what it knew.
 */
export async function testWriting(redis: Redis, prefix: string): Promise<{ now: number; mark: string }> {
  const [now, mark] = (await redis.eval(testScript, 1, `${prefix}mark`, randomUUID())) as [number, string];
  return { now, mark };
}

const newerScript = `${nowInScript}
local known = redis.call('HMGET', KEYS[1], 'generation', 'sealed', 'loggedInAt')
if known[1] and tonumber(known[1]) > tonumber(ARGV[1]) then
  local age = known[3] and string.format('%.0f', now - tonumber(known[3])) or ''
  return { 'session', known[1], known[2], age }
end
`;

const renewalScript = `${newerScript}
local refusal = redis.call('GET', KEYS[3])
if refusal then return { 'failed', refusal, tostring(redis.call('PTTL', KEYS[3])) } end
local failure = redis.call('GET', KEYS[4])
if failure then return { 'failed', failure } end
if now > tonumber(ARGV[4]) then return redis.error_reply('the question came too late') end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return { 'login' } end
return { 'wait', redis.call('GET', KEYS[2]) }`;

/**
 * In one step: adopt a newer session, respect a refusal, share the failure of the login that was waited for (`awaited` is its
 * token, or empty), or take the right to log in. After the deadline nobody would use that right, so it is not taken: a Redis
 * that hung runs what it was asked meanwhile (rule G11).
 */
export async function beginRenewal(
  redis: Redis,
  { session, lock, refusal, failureOf }: Names,
  facts: { expired: number; token: string; awaited: string; takeoverMs: number; deadline: number },
): Promise<RenewalStep> {
  const { expired, token, awaited, takeoverMs, deadline } = facts;
  const keys = [session, lock, refusal, failureOf(awaited)];
  return readStep(await redis.eval(renewalScript, keys.length, ...keys, expired, token, takeoverMs, deadline));
}

/** Looks for a newer session, without taking the right to log in. */
export async function findNewer(redis: Redis, { session }: Names, than: number): Promise<RenewalStep | undefined> {
  const result = await redis.eval(newerScript, 1, session, than);
  return result === null ? undefined : readStep(result);
}

function readStep(result: unknown): RenewalStep {
  const [type, first = '', second = '', age = ''] = result as string[];
  // Missing if an earlier version wrote it; negative if the clock of Redis was set back.
  const ageMs = age === '' || Number(age) < 0 ? undefined : Number(age);
  if (type === 'session') return { type, generation: Number(first), sealed: second, ageMs };
  if (type === 'failed') return { type, failure: first, leftMs: second === '' ? undefined : Number(second) };
  if (type === 'wait') return { type, holder: first };
  return { type: 'login' };
}

const saveScript = `${nowInScript}
local known = tonumber(redis.call('HGET', KEYS[1], 'generation') or '0')
local holder = redis.call('GET', KEYS[2])
if holder ~= ARGV[4] and (holder or known > tonumber(ARGV[1])) then return 0 end
local generation = math.max(known, tonumber(ARGV[1])) + 1
redis.call('HSET', KEYS[1], 'generation', generation, 'sealed', ARGV[2], 'loggedInAt', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('DEL', KEYS[3])
redis.call('DEL', KEYS[2])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return generation`;

/**
 * Stores a new session with the time by Redis's clock, releases the right to log in, and notifies the others.
 * @returns the session's generation; 0 if another process has taken over meanwhile: then nothing is stored (rule G11).
 */
export async function save(
  redis: Redis,
  { session, lock, refusal, news }: Names,
  facts: { expired: number; sealed: string; ttlMs: number; token: string; message: string },
): Promise<number> {
  const { expired, sealed, ttlMs, token, message } = facts;
  const result = redis.eval(saveScript, 3, session, lock, refusal, expired, sealed, ttlMs, token, news, message);
  return Number(await result);
}

const giveUpScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1`;

/** How long those that waited for a login have for reading how it failed, in milliseconds. */
const failureMs = 60_000;

/** Releases the right to log in after a failure, which those that waited share; a refusal stops all others, too. */
export async function giveUp(
  redis: Redis,
  { lock, refusal, failureOf, news }: Names,
  facts: { token: string; failure: string | undefined; refused: boolean; cooldownMs: number; message: string },
): Promise<void> {
  const { token, failure = '', refused, cooldownMs, message } = facts;
  const [key, keptMs] = refused ? [refusal, cooldownMs] : [failureOf(token), failureMs];
  await redis.eval(giveUpScript, 2, lock, key, token, failure, keptMs, news, message);
}

const extendScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/** Keeps the right to log in during a long login, such as one that waits out a rate limit. */
export async function extend(redis: Redis, { lock }: Names, token: string, takeoverMs: number): Promise<void> {
  await redis.eval(extendScript, 1, lock, token, takeoverMs);
}

/** What is left of a pause, and the status of the response that asked for it, if that is known. */
export type Left = { scope: string; remainingMs: number; status?: number | undefined };

const pauseScript = `${nowInScript}
local till = now + tonumber(ARGV[2])
if till <= tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f.%03d', till, ARGV[5]))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1`;

/**
 * Extends a pause, never shortens it (rule G2). Its end is a time by Redis's clock, since those of the processes may differ. The
 * status of the response is behind the point, where versions without it do not look.
 */
export async function pause(
  redis: Redis,
  { pauses, news }: Names,
  { scope, remainingMs, status = 0, message }: Left & { message: string },
): Promise<void> {
  await redis.eval(pauseScript, 1, pauses, scope, Math.ceil(remainingMs), news, message, status);
}

const pausesScript = `${nowInScript}
local result = {}
local all = redis.call('HGETALL', KEYS[1])
for index = 1, #all, 2 do
  local left = tonumber(all[index + 1]) - now
  if left >= 1 then
    result[#result + 1] = all[index]
    result[#result + 1] = string.format('%.3f', left)
  end
end
return result`;

export async function readPauses(redis: Redis, { pauses }: Names): Promise<Left[]> {
  const result = (await redis.eval(pausesScript, 1, pauses)) as string[];
  return result.flatMap((scope, index) => {
    const [remainingMs, status] = (result[index + 1] ?? '').split('.').map(Number);
    return index % 2 === 0 ? { scope, remainingMs: Number(remainingMs), status: status || undefined } : [];
  });
}
