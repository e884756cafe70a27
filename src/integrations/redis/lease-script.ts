import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Lease, LeaseRequest } from '../../client/index.js';
import { leaseRules } from './lease-rules.js';
import type { Names } from './scripts.js';

const script = `${leaseRules}
local time = redis.call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local text = redis.call('HGET', KEYS[1], ARGV[1])
local shared, answer = lease(text and cjson.decode(text), cjson.decode(ARGV[2]), now)
-- A process that starts asks whether anything is known: what is not known is not stored.
if shared.window > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(shared))
  local keepMs = max(3600000, 10 * shared.windowMs, shared.endsAt - now)
  if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keepMs)) end
end
return cjson.encode(answer)`;

const hash = createHash('sha1').update(script).digest('hex');

/** Leases permits in one step, by the clock of redis. */
export async function takePermits(redis: Redis, names: Names, scope: string, request: LeaseRequest): Promise<Lease> {
  const words = [names.quotas, scope, JSON.stringify(request)] as const;
  const answer = await redis.evalsha(hash, 1, ...words).catch((error: Error) => {
    if (!error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(script, 1, ...words);
  });
  return JSON.parse(answer as string);
}
