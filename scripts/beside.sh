#!/usr/bin/env bash
# Runs a command, and another one quietly beside it: tests wait for processes, and leave the cores time for more.
#   beside.sh "OTHER COMMAND" -- COMMAND…
# Both must succeed. What the other one said is shown at the end.
set -uo pipefail
other="$1"
shift 2
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
nice bash -c "$other" >"$log" 2>&1 &
beside=$!
"$@"
first=$?
wait "$beside"
second=$?
cat "$log"
[ "$second" -eq 0 ] || echo "beside.sh: failed with $second: $other" >&2
[ "$first" -eq 0 ] && [ "$second" -eq 0 ]
