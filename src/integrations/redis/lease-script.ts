import type { Redis } from 'ioredis';
import type { Lease, LeaseRequest } from '../../client/index.js';
import { byHash, type Names, nowInScript } from './scripts.js';

/**
 * The rules of the shared quota (rule G10). test/helpers/lease-rules.ts has the same in TypeScript, function for
 * function, with the reasons; a test holds them equal.
 */
export const leaseRules = `
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

local function set(shared, changes)
  for name, value in pairs(changes) do shared[name] = value end
  return shared
end

local function unknown(changes)
  return set({ at = 0, window = 0, limit = 0, windowMs = 0, opensAt = 0, endsAt = 0, aligned = 1, closed = 0, moved = 0,
    moves = 0, settled = 0, out = 0, grantedAt = 0, askers = 0, before = 1, tail = 1, head = 1, due = 0 }, changes)
end

local function isKnown(shared) return shared.limit > 0 or shared.closed > 0 end

local function forget(shared, now)
  set(shared, unknown({ at = now, window = shared.window, tail = shared.tail, head = shared.head }))
end

local function close(shared, finish, now)
  if shared.closed > 0 then
    shared.endsAt = max(shared.endsAt, finish)
  elseif finish >= shared.opensAt + 0.75 * shared.windowMs then
    set(shared, { closed = 1, endsAt = shared.moved == 1 and max(shared.endsAt, finish) or finish })
  elseif shared.out > 1.5 * shared.limit or (shared.moved == 0 and shared.moves >= 2) then
    forget(shared, now)
  elseif shared.moved == 1 then
    set(shared, { closed = 2, endsAt = max(finish, shared.grantedAt + shared.windowMs) })
  else
    local begin = max(shared.opensAt, finish)
    set(shared, { opensAt = begin, endsAt = begin + shared.windowMs, moved = 1, moves = shared.moves + 1 })
  end
end

local function tell(shared, request, now)
  if request.window == 0 and request.limitedMs > 0 then
    if shared.limit == 0 and now >= shared.endsAt then forget(shared, now) end
    if not isKnown(shared) then set(shared, { window = shared.window + 1, opensAt = now, endsAt = now, closed = 1 }) end
    local stale = shared.limit > 0 and now >= shared.endsAt + shared.windowMs
    if stale then set(shared, { endsAt = now, aligned = 0, closed = 1, moved = 0, out = shared.limit }) end
    shared.out = shared.out - request.unused
    if shared.limit == 0 then
      shared.windowMs = max(shared.windowMs, request.windowMs)
      shared.askers = shared.askers + 1
    end
  elseif request.window == shared.window then
    shared.out = max(0, shared.out - request.unused)
  end
  if isKnown(shared) and request.limitedMs > 0 then close(shared, now + request.limitedMs, now) end
end

local function open(shared, now)
  local limit, aligned, closed, out, head = shared.limit, shared.aligned, shared.closed, shared.out, shared.head
  local least = closed > 0 and ceil(limit / 2) or limit
  local most = (shared.settled == 1 or (closed > 0 and aligned == 0)) and limit or out
  local following = shared.moved == 1 and limit or max(least, min(out, most))
  if following == 0 or shared.windowMs == 0 then return forget(shared, now) end
  if closed == 1 and aligned == 1 and shared.moved == 0 and limit > 0 then shared.windowMs = shared.endsAt - shared.opensAt end
  local nextHead = min(shared.tail, head + following)
  local begin = now + floor(min(250, shared.windowMs / 64))
  set(shared, { window = shared.window + 1, limit = following, opensAt = begin, endsAt = begin + shared.windowMs,
    aligned = closed == 1 and 1 or 0, closed = 0, moved = 0, moves = shared.moved == 1 and shared.moves or 0,
    settled = closed == 1 and shared.moved == 0 and out <= limit and 1 or 0, out = 0, grantedAt = begin,
    before = max(1, shared.askers), askers = 0, head = nextHead, due = nextHead - head })
end

local function grant(shared, request, now)
  local limit, windowMs, before, ticket = shared.limit, shared.windowMs, shared.before, request.ticket
  local isFirst = request.window ~= shared.window
  if ticket > 0 and ticket < shared.head and shared.due > 0 then shared.due = shared.due - 1 end
  if now > shared.opensAt + windowMs / 4 then shared.due = 0 end
  local free = max(0, limit - shared.out - shared.due)
  local share = ceil(free / (isFirst and max(1, before - shared.askers) or 2))
  if isFirst then shared.askers = shared.askers + 1 end
  local restMs = shared.endsAt - now
  local soonMs = min(10000, ceil(windowMs / 8))
  local isProbe = shared.out >= limit and ((request.probed == 1 and not isFirst) or now >= shared.grantedAt + soonMs)
  local granted = isProbe and 1 or min(request.want, share)
  if granted > 0 then
    shared.out = shared.out + granted
    shared.grantedAt = now
    local laterMs = shared.out >= limit and soonMs or shared.askers >= before and 0 or 2 * soonMs
    return { granted = granted, probe = isProbe and 1 or 0, waitMs = isProbe and 0 or min(restMs, laterMs) }
  end
  local place = ticket
  if ticket <= 0 or ticket >= shared.tail then
    place = shared.tail
    shared.tail = shared.tail + 1
  end
  return { ticket = place, waitMs = min(restMs, 2 * soonMs) }
end

local function lease(stored, request, now)
  local shared = stored and now >= stored.at - 1000 and stored or unknown({})
  shared.at = now
  local lost = request.window > shared.window and 1 or 0
  tell(shared, request, now)
  if isKnown(shared) and now >= shared.endsAt - min(100, shared.windowMs / 50) then open(shared, now) end
  local endsInMs = max(0, shared.endsAt - now)
  local answer = { lost = lost, window = isKnown(shared) and shared.window or 0, limit = shared.limit, windowMs = shared.windowMs, granted = 0, probe = 0,
    startsInMs = max(0, shared.opensAt - now), endsInMs = endsInMs, waitMs = endsInMs, ticket = 0 }
  if shared.limit > 0 and shared.closed == 0 and request.want > 0 then set(answer, grant(shared, request, now)) end
  return shared, answer
end
`;

const runScript = byHash(`${leaseRules}${nowInScript}
if now > tonumber(ARGV[3]) then return redis.error_reply('the question came too late') end
local text = redis.call('HGET', KEYS[1], ARGV[1])
local shared, answer = lease(text and cjson.decode(text), cjson.decode(ARGV[2]), now)
-- A process that asks before anything is known leaves nothing behind.
if text or shared.window > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(shared))
  local keepMs = max(3600000, 10 * shared.windowMs, shared.endsAt - now)
  if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keepMs)) end
end
return cjson.encode(answer)`);

/** Leases permits in one step, by the clock of Redis; after the deadline, nobody would use them. */
export async function takePermits(
  redis: Redis,
  names: Names,
  { scope, deadline, ...request }: LeaseRequest & { scope: string; deadline: number },
): Promise<Lease> {
  return JSON.parse((await runScript(redis, 1, names.quotas, scope, JSON.stringify(request), deadline)) as string);
}
