import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Lease, LeaseRequest } from '../../client/index.js';
import type { Names } from './scripts.js';

/**
 * The rules of the shared quota (rule G10) in Lua, for `lease(shared, request, now)`: the same text, function for
 * function, as src/client/rate-limit/quota/lease.ts, grant.ts and slices.ts. A test holds them equal.
 */
export const leaseRules = `
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

local function unknown()
  return { window = 0, limit = 0, windowMs = 0, opensAt = 0, endsAt = 0, closed = 0, slides = 0, announced = 0,
    learning = 0, counted = 0, out = 0, askers = 0, before = 0, probing = 0, tail = 1, head = 1, due = 0, slotAt = 0,
    slices = {} }
end

local function sliceOf(shared) return max(1, ceil(shared.windowMs / 64)) end

local function note(shared, permits, now)
  local slices, sliceMs = shared.slices, sliceOf(shared)
  local start = floor(now / sliceMs) * sliceMs
  if permits > 0 then
    if slices[#slices - 1] == start then
      slices[#slices] = slices[#slices] + permits
    else
      slices[#slices + 1] = start
      slices[#slices + 1] = permits
    end
  end
  local left = -permits
  while left > 0 and #slices > 0 do
    local last = slices[#slices]
    if last > left then
      slices[#slices] = last - left
    else
      slices[#slices] = nil
      slices[#slices] = nil
    end
    left = left - last
  end
  while #slices > 0 and slices[1] <= now - shared.windowMs - 2 * sliceMs do
    table.remove(slices, 1)
    table.remove(slices, 1)
  end
end

local function countSince(shared, time)
  local count = 0
  for index = 1, #shared.slices, 2 do
    if shared.slices[index] > time then count = count + shared.slices[index + 1] end
  end
  return count
end

local function close(shared, limitedMs, now)
  local finish = now + ceil(limitedMs)
  shared.endsAt = shared.closed == 1 and max(shared.endsAt, finish) or finish
  shared.closed = 1
  if shared.learning == shared.window or finish > shared.opensAt + 0.75 * shared.windowMs then return end
  if countSince(shared, finish - shared.windowMs - sliceOf(shared)) - shared.out >= shared.limit / 4 then
    shared.slides = 1
  end
end

local function announce(shared, request, now)
  local limit, windowMs = request.announced, request.announcedMs
  if shared.announced == 1 and shared.limit == limit and shared.windowMs == windowMs then return shared end
  local fresh = unknown()
  fresh.limit, fresh.windowMs, fresh.slides, fresh.announced = limit, windowMs, 1, 1
  fresh.before, fresh.tail, fresh.head = max(shared.before, shared.askers), shared.tail, shared.head
  fresh.window, fresh.opensAt, fresh.endsAt = shared.window + 1, now, now + windowMs
  return fresh
end

local function learn(shared, request, now)
  if shared.limit == 0 and shared.closed == 0 then
    shared.window = shared.window + 1
    shared.learning = shared.window
    shared.opensAt = now
    shared.windowMs = 0
    shared.askers = 0
  end
  if shared.learning > 0 and shared.learning >= shared.window - 1 then
    shared.limit = shared.limit + request.learned
    shared.windowMs = max(shared.windowMs, ceil(request.learnedMs))
    if shared.learning == shared.window then shared.askers = shared.askers + 1
    else shared.before = shared.before + 1 end
    note(shared, request.learned, now)
  end
  if request.limitedMs > 0 then close(shared, request.limitedMs, now) end
end

local function settle(shared, request, now)
  if request.window == shared.window then
    shared.out = max(0, shared.out - request.returned)
    note(shared, -request.returned, now)
  elseif request.window == shared.window - 1 and shared.counted == 1 then
    shared.limit = max(1, shared.limit - request.returned)
  end
  local limit, windowMs = shared.limit, shared.windowMs
  if shared.slides == 1 and request.probed > 0 then shared.limit = max(limit + 1, countSince(shared, now - windowMs)) end
  if request.limitedMs == 0 then return end
  if shared.slides == 1 then
    shared.limit = max(1, min(limit, countSince(shared, now - windowMs - 2 * sliceOf(shared))))
  end
  close(shared, request.limitedMs, now)
end

local function open(shared, now)
  local limit, windowMs = shared.limit, shared.windowMs
  local out = shared.out - (shared.closed == 0 and shared.probing or 0)
  local wasLimited = shared.closed == 1 and shared.learning ~= shared.window
  shared.closed = 0
  if shared.slides == 1 and now < shared.opensAt + windowMs then
    shared.endsAt = shared.opensAt + windowMs
    return
  end
  local measuredMs = shared.endsAt - shared.opensAt
  shared.counted = 0
  if shared.slides == 0 and ((wasLimited and measuredMs > windowMs / 2) or out > limit) then
    shared.counted = 1
    shared.limit = max(1, min(out, limit + 1 + floor(limit / 16)))
    if wasLimited and measuredMs > windowMs then shared.windowMs = measuredMs end
  end
  if shared.limit == 0 then shared.learning = 0 end
  shared.window = shared.window + 1
  shared.opensAt = now
  shared.endsAt = now + shared.windowMs
  shared.out = 0
  shared.probing = 0
  shared.before = max(1, shared.askers)
  shared.askers = 0
  local head = min(shared.tail, shared.head + shared.limit)
  shared.due = head - shared.head
  shared.head = head
end

local function grant(shared, request, now, isFirst)
  local limit, windowMs, askers, ticket = shared.limit, shared.windowMs, shared.askers, request.ticket
  local isDue = ticket > 0 and ticket < shared.head
  if isDue and shared.due > 0 then shared.due = shared.due - 1 end
  if now - shared.opensAt > windowMs / 4 then shared.due = 0 end
  local free = limit - shared.out - shared.due
  local workers = max(askers, shared.before)
  local share = ceil(max(0, free) / 2)
  if isFirst then share = floor(askers * limit / workers) - floor((askers - 1) * limit / workers) end
  if isDue or limit >= workers then share = max(1, share) end
  local granted = max(0, min(request.want, share, free))
  shared.out = shared.out + granted
  local probe = 0
  if (shared.out >= limit and shared.probing == 0) or request.probed == 1 then
    shared.probing = 1
    probe = 1
    shared.out = shared.out + 1
  end
  local leftMs = max(0, shared.endsAt - now)
  if granted + probe > 0 then
    local later = askers >= workers and 0 or ceil((windowMs / 16) * (1 + (7 * askers) / workers))
    return granted, probe, 0, shared.out < limit and min(later, leftMs) or leftMs
  end
  if isDue then return granted, probe, ticket, leftMs end
  local place = ticket
  if ticket <= 0 or ticket >= shared.tail then
    place = shared.tail
    shared.tail = shared.tail + 1
  end
  local windows = floor(floor((place - shared.head) / limit) / 2)
  return granted, probe, place, leftMs + windows * windowMs
end

local function grantSliding(shared, request, now)
  local limit, windowMs = shared.limit, shared.windowMs
  local cycleMs = windowMs + 2 * sliceOf(shared)
  local room = max(0, limit - countSince(shared, now - cycleMs))
  local workers = max(shared.askers, shared.before)
  local granted = min(request.want, max(1, floor(limit / workers)), room)
  local probe = 0
  local isFull = request.probed == 1 and countSince(shared, now - windowMs) >= limit
  if shared.announced == 0 and room <= granted and (shared.probing == 0 or isFull) then
    shared.probing = 1
    probe = 1
  end
  shared.out = shared.out + granted + probe
  local freeAt = room > granted and now or max(now, (shared.slices[1] or now) + cycleMs) + 1
  if granted == 0 and request.ticket > 0 then return granted, probe, min(request.ticket, 4) - 1, freeAt - now end
  local paceMs = ceil(max(1, granted) * cycleMs / limit)
  local latestAt = now + ceil(cycleMs * max(1, workers / limit))
  shared.slotAt = min(max(shared.slotAt, now) + paceMs, latestAt)
  return granted, probe, 4, max(shared.slotAt, freeAt) - now
end

local function lease(stored, request, now)
  local shared = stored and stored.opensAt <= now and stored or unknown()
  if request.announced > 0 then shared = announce(shared, request, now) end
  if request.learned > 0 or (request.window == 0 and request.limitedMs > 0) then learn(shared, request, now)
  else settle(shared, request, now) end
  if shared.window > 0 and now >= shared.endsAt - min(100, shared.windowMs / 50) then open(shared, now) end
  local granted, probe, ticket, waitMs = 0, 0, 0, max(0, shared.endsAt - now)
  if shared.limit > 0 and shared.closed == 0 and request.want > 0 then
    local isFirst = request.window ~= shared.window
    if isFirst then
      shared.askers = shared.askers + 1
      request.probed = 0
    end
    if shared.slides == 1 then granted, probe, ticket, waitMs = grantSliding(shared, request, now)
    else granted, probe, ticket, waitMs = grant(shared, request, now, isFirst) end
    note(shared, granted + probe, now)
  end
  return shared, { window = shared.window, limit = shared.limit, windowMs = shared.windowMs,
    endsInMs = max(0, shared.endsAt - now), granted = granted, probe = probe, ticket = ticket, waitMs = waitMs }
end
`;

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
