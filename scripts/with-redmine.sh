#!/usr/bin/env bash
# Starts a Redmine of its own behind an nginx that limits requests, runs a command with their addresses, and stops and
# removes both again:
#
#   scripts/with-redmine.sh npx tsx examples/redmine/main.ts
#
# CONCORDAT_REDMINE_URL         the way in for a connector: limited, see examples/redmine/nginx.conf
# CONCORDAT_REDMINE_DIRECT_URL  the same Redmine without a limit, to prepare and to verify
# CONCORDAT_REDMINE_PASSWORD    of the users that examples/redmine/prepare.rb makes
#
# Uses Debian's packages, and installs them when it runs as root and they are not there. Database, files and logs are in
# a temporary directory, nothing listens but on 127.0.0.1, and no service of the system is started. Where Redmine cannot
# be had, it says so and does not run the command; with CONCORDAT_REDMINE_REQUIRED=1 it fails instead.
set -euo pipefail

. "$(dirname "$0")/with-command.sh"

application=/usr/share/redmine
example=$(cd "$(dirname "$0")/../examples/redmine" && pwd)
export PATH="$PATH:/usr/sbin"

is_installed() {
  [ -f "$application/config.ru" ] && command -v puma >/dev/null && command -v nginx >/dev/null &&
    ruby -e 'require "sqlite3"' 2>/dev/null
}

install() {
  local policy=/usr/sbin/policy-rc.d status=0
  # Redmine's package would make a database and nginx's would start a server: nobody here needs them.
  if command -v debconf-set-selections >/dev/null; then
    echo 'redmine redmine/instances/default/dbconfig-install boolean false' | debconf-set-selections
  fi
  if [ -e "$policy" ]; then
    policy=
  else
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    redmine redmine-sqlite puma nginx; } >&2 </dev/null || status=$?
  if [ -n "$policy" ]; then rm -f "$policy"; fi
  trap - EXIT
  return "$status"
}

if ! is_installed && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  say 'installing Debian packages redmine, redmine-sqlite, puma and nginx: this takes some minutes'
  if ! install; then say 'installing failed'; fi
fi
if ! is_installed; then
  say 'SKIPPED the run against Redmine: it is not installed, and could not be'
  if [ "${CONCORDAT_REDMINE_REQUIRED:-}" = 1 ]; then exit 1; fi
  exit 0
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/concordat-redmine.XXXXXX")
processes=()

# Neither of the two has to be root. Both commands become the server instead of starting it, so `$!` is its own.
as_server=(env)
if [ "$(id -u)" = 0 ]; then as_server=(setpriv --reuid=www-data --regid=www-data --init-groups --); fi

stop() {
  local process
  for process in "${processes[@]}"; do
    kill -TERM "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$directory"
}
trap stop EXIT

fail() {
  # Without the stack, which is long and not ours.
  { grep -v $'^[\t ]*from ' "$2" || true; } | tail -n 30 >&2
  say "$1"
  exit 1
}

random_hex() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

mkdir -p "$directory"/redmine/{config,files,log,tmp,public} "$directory/nginx"
cat >"$directory/redmine/config/database.yml" <<END
production: { adapter: sqlite3, database: $directory/redmine/redmine.sqlite3, encoding: utf8, timeout: 10000 }
END
random_hex 32 >"$directory/redmine/config/secret_key.txt"
# Redmine's own list of gems asks the system's databases for their drivers, which are none of our business.
cat >"$directory/Gemfile" <<END
eval_gemfile '$application/Gemfile'
%w[sqlite3 puma].each { |name| gem name unless dependencies.any? { |dependency| dependency.name == name } }
END
if [ "$(id -u)" = 0 ]; then chown -R www-data "$directory"; fi

password=$(random_hex 12)
# The name of an instance is a folder, so that one elsewhere can be named, too.
redmine_environment=(
  REDMINE_INSTANCE="../../../../../../../../../../../..$directory/redmine" SCHEMA=/dev/null REDMINE_LANG=en
  RAILS_ENV=production BUNDLE_GEMFILE="$directory/Gemfile" HOME="$directory" TZ=UTC
  CONCORDAT_REDMINE_PASSWORD="$password"
)
in_redmine=("${as_server[@]}" env "${redmine_environment[@]}")

log="$directory/prepare.log"
cd "$application"
"${in_redmine[@]}" bin/rake db:migrate >"$log" 2>&1 || fail 'making the database failed' "$log"
# From its input: the server's user may not be able to read this folder.
"${in_redmine[@]}" bin/rails runner - <"$example/prepare.rb" >"$log" 2>&1 || fail 'filling the database failed' "$log"

log="$directory/puma.log"
# One thread: of two that write at once, SQLite refuses one.
"${in_redmine[@]}" puma --environment production --threads 1:1 --bind "unix://$directory/puma.sock" >"$log" 2>&1 &
processes+=($!)
cd "$OLDPWD"

free_ports() {
  node -e 'const n=require("node:net");const s=[0,0].map(()=>n.createServer().listen(0,"127.0.0.1"));
    setImmediate(()=>{console.log(...s.map((x)=>x.address().port));for(const x of s)x.close()})'
}

started=
for _ in 1 2 3 4 5; do
  read -r limited direct < <(free_ports)
  sed -e "s|{{directory}}|$directory|g; s|{{limited}}|$limited|g; s|{{direct}}|$direct|g" "$example/nginx.conf" \
    >"$directory/nginx/nginx.conf"
  if [ "$(id -u)" = 0 ]; then chown www-data "$directory/nginx/nginx.conf"; fi
  "${as_server[@]}" nginx -p "$directory/nginx" -e "$directory/nginx/error.log" -c "$directory/nginx/nginx.conf" &
  process=$!
  for _ in $(seq 50); do
    if [ -s "$directory/nginx/nginx.pid" ] || ! kill -0 "$process" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if kill -0 "$process" 2>/dev/null; then
    processes+=("$process")
    started=1
    break
  fi
done
if [ -z "$started" ]; then fail 'nginx did not start' "$directory/nginx/error.log"; fi

export CONCORDAT_REDMINE_URL="http://127.0.0.1:$limited"
export CONCORDAT_REDMINE_DIRECT_URL="http://127.0.0.1:$direct"
export CONCORDAT_REDMINE_PASSWORD="$password"

is_answering() { node -e 'fetch(process.argv[1]+"/login").then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))' "$1"; }
answering=
for _ in $(seq 120); do
  if is_answering "$CONCORDAT_REDMINE_DIRECT_URL"; then
    answering=1
    break
  fi
  if ! kill -0 "${processes[0]}" 2>/dev/null; then break; fi
  sleep 0.5
done
if [ -z "$answering" ]; then fail 'Redmine did not start' "$log"; fi
version=$(sed -n 's/.*(\([0-9.]*\).*/\1/p' <(dpkg-query -W -f '(${Version})' redmine 2>/dev/null) || true)
say "Redmine ${version:-of this machine} behind nginx on port $limited"

run_command "$@"
