#!/usr/bin/env bash
# Starts a PostgreSQL server of its own on a free loopback port, runs a command with its URL in
# CONCORDAT_POSTGRES_URL, and stops and removes it again:
#
#   scripts/with-postgres.sh npx vitest run test/api-keys
#
# Uses the server of Debian's package, and installs that when it runs as root and there is none. Where no server can be
# had, it says so and runs the command without the variable; with CONCORDAT_POSTGRES_REQUIRED=1 it fails instead.
set -euo pipefail

. "$(dirname "$0")/with-command.sh"

without_server() {
  say "SKIPPED PostgreSQL: $1"
  if [ "${CONCORDAT_POSTGRES_REQUIRED:-}" = 1 ]; then exit 1; fi
  unset CONCORDAT_POSTGRES_URL
  exec "${@:2}"
}

find_server() {
  local newest
  newest=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
  if [ -n "$newest" ] && [ -x "$newest/initdb" ]; then
    echo "$newest"
  elif command -v initdb >/dev/null && command -v pg_ctl >/dev/null; then
    dirname "$(command -v initdb)"
  fi
}

binaries=$(find_server)
if [ -z "$binaries" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  say 'installing Debian package postgresql'
  # The package would start a server of its own on the usual port: nobody here needs that one.
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends postgresql; } >&2; then
    say 'installing failed'
  fi
  binaries=$(find_server)
fi
if [ -z "$binaries" ]; then without_server 'no server is installed, and none could be' "$@"; fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/concordat-postgres.XXXXXX")
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

# The server refuses to run as root.
as_server() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

stop() {
  as_server "$binaries/pg_ctl" -D "$directory/data" -m immediate -s stop >/dev/null 2>&1 || true
  rm -rf "$directory"
}
trap stop EXIT

umask 077
printf '%s' "$password" >"$directory/password"
if [ "$(id -u)" = 0 ]; then chown -R postgres "$directory"; fi
cd "$directory"
if ! as_server "$binaries/initdb" -D "$directory/data" -U concordat -A scram-sha-256 --pwfile="$directory/password" \
  -E UTF8 --locale=C.UTF-8 >"$directory/initdb.log" 2>&1; then
  cat "$directory/initdb.log" >&2
  say 'initdb failed'
  exit 1
fi

started=
for _ in 1 2 3 4 5; do
  port=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  if as_server "$binaries/pg_ctl" -D "$directory/data" -l "$directory/data/server.log" -w -s \
    -o "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='' -c max_connections=200" start >/dev/null 2>&1; then
    started=1
    break
  fi
done
if [ -z "$started" ]; then
  cat "$directory/data/server.log" >&2
  say 'the server did not start'
  exit 1
fi
say "PostgreSQL $("$binaries/postgres" --version | grep -o '[0-9][0-9.]*' | head -n 1) on port $port"

cd "$OLDPWD"
export CONCORDAT_POSTGRES_URL="postgres://concordat:$password@127.0.0.1:$port/postgres"
run_command "$@"
