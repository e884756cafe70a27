#!/usr/bin/env bash
# Runs examples/service/compose.yaml as a project of its own: starts it, compares both ends, kills a worker and the service in
# the middle of a run, restarts redis, stops everything in the middle of a run, and starts it again with its data:
#
#   npm run test:compose
#
# Needs `docker compose` or `podman compose` with a running engine, the images, and port 8080. Where there is no engine, it
# says so and checks nothing; with CONCORDAT_COMPOSE_REQUIRED=1 it fails instead.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "check-compose: $*"; }
fail() { say "FAILED: $*"; exit 1; }

engine=
for one in docker podman; do
  if "$one" compose version >/dev/null 2>&1 && "$one" info >/dev/null 2>&1; then engine=$one; break; fi
done
if [ -z "$engine" ]; then
  say 'SKIPPED: neither docker compose nor podman compose with a running engine is here'
  if [ "${CONCORDAT_COMPOSE_REQUIRED:-}" = 1 ]; then exit 1; fi
  exit 0
fi

compose() { "$engine" compose --project-name concordat-check --file examples/service/compose.yaml "$@"; }
quietly() { compose "$@" >"$log" 2>&1 || { cat "$log"; fail "compose $*"; }; }
log=$(mktemp)
remove() {
  compose down --volumes --remove-orphans >/dev/null 2>&1 || true
  rm -f "$log"
}
trap remove EXIT
trap 'exit 130' INT TERM

# What the service has said since a time, without what compose adds.
said() { compose logs --no-color --no-log-prefix --since "$1" service 2>&1 | sed 's/\x1b\[[0-9;]*[A-Za-z]//g'; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

# Waits for a line of the service, for ten minutes at most.
await() {
  local since=$1 text=$2
  for _ in $(seq 600); do
    if said "$since" | grep "$text" >/dev/null; then return; fi
    sleep 1
  done
  said "$since" | tail -n 40
  fail "the service has not said \"$text\""
}

# A run that has something to write: the emulated GitHub forgets everything, and a service begins with a run.
begin_run() {
  quietly restart github
  quietly up --detach --wait
  since=$(now)
  quietly restart service
  await "$since" '^Writing: '
}

containers() { compose ps --all --quiet "$1"; }

say "$engine: build, and start"
since=$(now)
quietly up --detach --wait --build
await "$since" 'Both ends are equal'
for container in $(containers worker); do
  id=$("$engine" exec "$container" id -u)
  if [ "$id" = 0 ]; then fail 'a worker runs as root'; fi
done
password=$(said "$since" | sed -n 's/^ *admin  *\([a-z0-9-]*\) .*/\1/p')
keys=http://127.0.0.1:8080/api/v1/api-keys
node -e '
  const [url, password] = process.argv.slice(1);
  const expiresOn = new Date(Date.now() + 864e5).toISOString().slice(0, 10);
  const headers = { authorization: `Basic ${btoa(`admin:${password}`)}`, "content-type": "application/json" };
  fetch(url, { method: "POST", headers, body: JSON.stringify({ name: "Kept", expiresOn }) }).then(({ status }) => {
    if (status !== 201) throw new Error(`An API key was refused with ${status}.`);
  });' "$keys" "$password" || fail 'no API key can be made'

say 'kill -9 of a worker and the service, and a restart of redis, in the middle of a run'
begin_run
"$engine" kill --signal KILL "$(containers worker | head -n 1)" "$(containers service)" >/dev/null
quietly restart redis
since=$(now)
quietly up --detach --wait
await "$since" 'Both ends are equal'

say 'stop in the middle of a run'
begin_run
quietly stop worker
for container in $(containers worker); do
  code=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
  if [ "$code" != 143 ]; then fail "a worker ended with $code instead of 143"; fi
done
quietly down

say 'start again, with the data'
since=$(now)
quietly up --detach --wait
await "$since" 'Both ends are equal'
if said "$since" | grep 'shown this once' >/dev/null; then fail 'the users are gone'; fi
node -e '
  const [url, password] = process.argv.slice(1);
  const headers = { authorization: `Basic ${btoa(`admin:${password}`)}` };
  fetch(url, { headers }).then((response) => response.json()).then(({ items }) => {
    if (items?.[0]?.name !== "Kept") throw new Error("The API key is gone.");
  });' "$keys" "$password" || fail 'the API keys are gone'
say 'all passed'
