/**
 * The rules of the shared quota (rule G10) in Lua, for `lease(shared, request, now)`: the same text, function for
 * function, as src/client/rate-limit/quota/lease.ts, grant.ts and slices.ts. A test holds them equal.
 */
export const leaseRules = `
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

local function unknown()
  return { window = 0, limit = 0, windowMs = 0, opensAt = 0, endsAt = 0, closed = 0, slides = 0, announced = 0,
    learning = 0, out = 0, askers = 0, before = 0, probing = 0, tail = 1, head = 1, due = 0, lineAt = 0,
    slices = {} }
end

local function sliceOf(shared) return max(1, ceil(shared.windowMs / 64)) end

local function cycleOf(shared) return shared.windowMs + 2 * sliceOf(shared) end

local function note(shared, permits, at)
  local slices, sliceMs = shared.slices, sliceOf(shared)
  local start = max(floor(at / sliceMs) * sliceMs, slices[#slices - 1] or 0)
  if permits == 0 then return end
  if slices[#slices - 1] == start then
    slices[#slices] = slices[#slices] + permits
  else
    slices[#slices + 1] = start
    slices[#slices + 1] = permits
  end
end

local function takeBack(shared, permits, now)
  local slices, left = shared.slices, permits
  for index = #slices - 1, 1, -2 do
    if slices[index] <= now and left > 0 then
      local taken = min(left, slices[index + 1])
      slices[index + 1] = slices[index + 1] - taken
      left = left - taken
    end
  end
end

local function forget(shared, now)
  local slices = shared.slices
  while #slices > 0 and slices[1] <= now - cycleOf(shared) do
    table.remove(slices, 1)
    table.remove(slices, 1)
  end
end

local function countSince(shared, from, to)
  local count = 0
  for index = 1, #shared.slices, 2 do
    local start = shared.slices[index]
    if start > from and start <= (to or math.huge) then count = count + shared.slices[index + 1] end
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
  if shared.announced == limit and shared.windowMs == windowMs then return shared end
  local fresh = unknown()
  fresh.limit, fresh.windowMs, fresh.slides, fresh.announced = limit, windowMs, 1, limit
  fresh.before, fresh.tail, fresh.head = max(shared.before, shared.askers), shared.tail, shared.head
  fresh.slices = shared.slices
  fresh.window, fresh.learning, fresh.opensAt, fresh.endsAt = shared.window + 1, shared.window + 1, now, now + windowMs
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
  local isCounting = shared.announced == 0 and shared.learning == shared.window
  if isCounting then
    shared.limit = shared.limit + request.learned
    shared.windowMs = max(shared.windowMs, ceil(request.learnedMs))
    shared.askers = shared.askers + 1
  end
  if isCounting or shared.announced > 0 then note(shared, request.learned, now) end
  if request.limitedMs > 0 then close(shared, request.limitedMs, now) end
end

local function settle(shared, request, now)
  if request.window == shared.window or shared.slides == 1 then
    shared.out = max(0, shared.out - request.returned)
    takeBack(shared, request.returned, now)
  end
  local limit, windowMs = shared.limit, shared.windowMs
  if shared.slides == 1 and request.probed > 0 then
    shared.limit = max(limit + 1, countSince(shared, now - windowMs, now))
  end
  if request.limitedMs == 0 then return end
  if shared.slides == 1 and shared.window > shared.learning + 1 then
    shared.limit = max(1, min(limit, countSince(shared, now - cycleOf(shared), now)))
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
  if shared.slides == 0 and ((wasLimited and measuredMs > windowMs / 2) or out > limit) then
    shared.limit = max(ceil(limit / 2), min(out, limit + 1 + floor(limit / 16)))
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
  local probe = 0
  if (shared.out + granted >= limit and shared.probing == 0) or request.probed == 1 then
    shared.probing = 1
    probe = 1
  end
  shared.out = shared.out + granted + probe
  note(shared, granted + probe, now)
  local leftMs = max(0, shared.endsAt - now)
  if granted + probe > 0 then
    local later = askers >= workers and 0 or ceil((windowMs / 16) * (1 + (7 * askers) / workers))
    return { granted = granted, probe = probe, ticket = 0, waitMs = shared.out < limit and min(later, leftMs) or leftMs }
  end
  if isDue then return { granted = granted, probe = probe, ticket = ticket, waitMs = leftMs } end
  local place = ticket
  if ticket <= 0 or ticket >= shared.tail then
    place = shared.tail
    shared.tail = shared.tail + 1
  end
  local windows = floor(floor((place - shared.head) / limit) / 2)
  return { granted = granted, probe = probe, ticket = place, waitMs = leftMs + windows * windowMs }
end

local function nextRoom(shared, now)
  local slices, cycleMs = shared.slices, cycleOf(shared)
  local at = max(now, slices[#slices - 1] or 0)
  local room = shared.limit - countSince(shared, at - cycleMs)
  for index = 1, #slices, 2 do
    local backAt = slices[index] + cycleMs
    if room <= 0 and backAt > at then
      at = backAt
      room = room + slices[index + 1]
    end
  end
  return at, room
end

local function grantSliding(shared, request, now)
  local limit, windowMs = shared.limit, shared.windowMs
  local workers = max(shared.askers, shared.before)
  local cycleMs = cycleOf(shared)
  local share = max(1, floor(limit / workers))
  local at, room = nextRoom(shared, now)
  local lineAt = max(shared.lineAt, at)
  local isEarly = lineAt > now + cycleMs
  if request.ticket > 0 then isEarly = at > now + 2 * cycleMs end
  if isEarly then
    local latestAt = now + ceil(cycleMs * (2 + workers / limit))
    shared.lineAt = min(lineAt + ceil((share * cycleMs) / limit), latestAt)
    local startsInMs = shared.lineAt - cycleMs - now
    return { granted = 0, probe = 0, ticket = 1, startsInMs = startsInMs, waitMs = startsInMs }
  end
  local granted = min(request.want, share, room)
  local isFull = request.probed == 1 and countSince(shared, now - windowMs, now) >= limit
  local mayGrow = shared.announced == 0 or limit < shared.announced
  local probe = mayGrow and room <= granted and (shared.probing == 0 or isFull) and 1 or 0
  if probe == 1 then shared.probing = 1 end
  shared.out = shared.out + granted + probe
  note(shared, granted + probe, at)
  local startsInMs = at - now
  return { granted = granted, probe = probe, ticket = 0, startsInMs = startsInMs, waitMs = startsInMs,
    endsInMs = startsInMs + windowMs }
end

local function lease(stored, request, now)
  local shared = stored and stored.opensAt <= now and stored or unknown()
  if request.announced > 0 then shared = announce(shared, request, now) end
  if request.learned > 0 or (request.window == 0 and request.limitedMs > 0) then learn(shared, request, now)
  else settle(shared, request, now) end
  if shared.window > 0 and now >= shared.endsAt - min(100, shared.windowMs / 50) then open(shared, now) end
  forget(shared, now)
  local endsInMs = max(0, shared.endsAt - now)
  local answer = { window = shared.window, limit = shared.limit, windowMs = shared.windowMs, endsInMs = endsInMs,
    granted = 0, probe = 0, ticket = 0, startsInMs = 0, waitMs = endsInMs }
  if shared.limit == 0 or shared.closed == 1 or request.want == 0 then return shared, answer end
  local isFirst = request.window ~= shared.window
  if isFirst then
    shared.askers = shared.askers + 1
    request.probed = 0
  end
  local granted = shared.slides == 1 and grantSliding(shared, request, now) or grant(shared, request, now, isFirst)
  for name, value in pairs(granted) do answer[name] = value end
  return shared, answer
end
`;
