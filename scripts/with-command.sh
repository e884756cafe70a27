# What the scripts with-*.sh share; they read it with their own arguments. A script that is called without a command ends here.

if [ $# -eq 0 ]; then
  echo "Usage: $0 command [arguments]" >&2
  exit 2
fi

say() { echo "$(basename "$0" .sh): $*" >&2; }

# Runs the command and ends the script with its exit code: in the background and waited for, so that a signal to the script
# reaches the command, and what the script has started is stopped after it (by its trap on EXIT).
run_command() {
  local child status=0
  "$@" <&0 &
  child=$!
  # TERM for Ctrl-C, too: bash lets background commands ignore INT.
  trap "kill -TERM $child 2>/dev/null || true" TERM INT
  wait "$child" || status=$?
  # A wait that a signal has ended says nothing about the command yet.
  while kill -0 "$child" 2>/dev/null; do
    status=0
    wait "$child" || status=$?
  done
  exit "$status"
}
