#!/usr/bin/env bash
# Runs a command again and again, until it fails or has passed so many times: a test that depends on speed, order or load shows itself.
#
#   scripts/repeat.sh 10 npx vitest run test/client                 ten times, on a machine of its own
#   BUSY=2 scripts/repeat.sh 5 npx vitest run test/client           five times, beside two programs that only burn time
set -euo pipefail

times=${1:-}
if ! [[ $times =~ ^[1-9][0-9]*$ ]] || [ $# -lt 2 ]; then
  echo "Usage: $0 times command [arguments]" >&2
  exit 2
fi
shift

burners=()
trap '[ ${#burners[@]} -eq 0 ] || kill "${burners[@]}" 2>/dev/null || true' EXIT
for ((number = 0; number < ${BUSY:-0}; number++)); do
  (while :; do :; done) &
  burners+=($!)
done

log=$(mktemp)
for ((run = 1; run <= times; run++)); do
  if ! "$@" >"$log" 2>&1; then
    cat "$log"
    echo "repeat: run $run of $times failed; what it printed stands above and in $log" >&2
    exit 1
  fi
  echo "repeat: run $run of $times passed in ${SECONDS} s"
  SECONDS=0
done
rm -f "$log"
