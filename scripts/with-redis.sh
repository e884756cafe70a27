#!/usr/bin/env bash
# Starts a redis server of its own on a free loopback port, runs a command with its URL in CONCORDAT_REDIS_URL, and
# stops and removes it again:
#
#   scripts/with-redis.sh npx vitest run test/integrations
#
# Tests that take redis away start servers of their own with the program in CONCORDAT_REDIS_SERVER. Uses the server of
# Debian's package, and installs that when it runs as root and there is none. Where no server can be had, it says so and
# runs the command without the variables; with CONCORDAT_REDIS_REQUIRED=1 it fails instead.
set -euo pipefail

. "$(dirname "$0")/with-command.sh"

without_server() {
  say "SKIPPED redis: $1"
  if [ "${CONCORDAT_REDIS_REQUIRED:-}" = 1 ]; then exit 1; fi
  unset CONCORDAT_REDIS_URL CONCORDAT_REDIS_SERVER
  exec "${@:2}"
}

server=$(command -v redis-server || true)
if [ -z "$server" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  say 'installing Debian package redis-server'
  # The package would start a server of its own on the usual port: nobody here needs that one.
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends redis-server; } >&2; then
    say 'installing failed'
  fi
  server=$(command -v redis-server || true)
fi
if [ -z "$server" ]; then without_server 'no server is installed, and none could be' "$@"; fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/concordat-redis.XXXXXX")
redis=
stop() {
  if [ -n "$redis" ]; then
    kill "$redis" 2>/dev/null || true
    wait "$redis" 2>/dev/null || true
  fi
  rm -rf "$directory"
}
trap stop EXIT

started=
for _ in 1 2 3 4 5; do
  port=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  "$server" --bind 127.0.0.1 --port "$port" --dir "$directory" --save '' --appendonly no >"$directory/server.log" 2>&1 &
  redis=$!
  for _ in $(seq 50); do
    if grep -q 'Ready to accept connections' "$directory/server.log"; then
      started=1
      break 2
    fi
    kill -0 "$redis" 2>/dev/null || break
    sleep 0.1
  done
done
if [ -z "$started" ]; then
  cat "$directory/server.log" >&2
  say 'the server did not start'
  exit 1
fi
say "$("$server" --version | grep -o 'v=[0-9.]*' | sed 's/v=/redis /') on port $port"

export CONCORDAT_REDIS_URL="redis://127.0.0.1:$port" CONCORDAT_REDIS_SERVER="$server"
run_command "$@"
