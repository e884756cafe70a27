#!/usr/bin/env bash
# Runs a command with the path of a Chromium in CONCORDAT_CHROMIUM:
#
#   scripts/with-chromium.sh npx vitest run --config vitest.browser.config.ts
#
# Uses the browser that is installed; where there is none and this runs as root on Debian, installs the package, with the
# faces that the pictures are taken in. Where no browser can be had, it says so and does not run the command; with
# CONCORDAT_CHROMIUM_REQUIRED=1 it fails instead.
set -euo pipefail

. "$(dirname "$0")/with-command.sh"

find_browser() {
  if [ -n "${CONCORDAT_CHROMIUM:-}" ]; then
    echo "$CONCORDAT_CHROMIUM"
    return
  fi
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name"; then return; fi
  done
}

browser=$(find_browser || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  say 'installing Debian package chromium'
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    chromium fonts-inter fonts-liberation; } >&2; then
    say 'installing failed'
  fi
  browser=$(find_browser || true)
fi
if [ -z "$browser" ] || [ ! -x "$browser" ]; then
  say "SKIPPED the tests in a browser: ${browser:-no Chromium} is not installed, and could not be"
  if [ "${CONCORDAT_CHROMIUM_REQUIRED:-}" = 1 ]; then exit 1; fi
  exit 0
fi

export CONCORDAT_CHROMIUM="$browser"
exec "$@"
