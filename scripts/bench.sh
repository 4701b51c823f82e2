#!/usr/bin/env bash
# Measures Metnos beside what it is compared with: one JSON line per figure on standard output.
# Names given as arguments limit the run to those groups (start, append, warm, cold, verify, find,
# duplicates, lists, changes, turns, doors). Generated files stay in target/bench-data; the first run makes them.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { # need <command> <package> <why>
  command -v "$1" >/dev/null 2>&1 && return
  echo "bench: $2 is missing: $3" >&2
  missing+=("$2")
}
need fdfind fd-find "find_files is compared with it"
need jdupes jdupes "find_files_hash is compared with it"

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
      echo "bench: installed ${missing[*]}" >&2
    else
      echo "bench: ${missing[*]} could not be installed; the figures that need them are skipped" >&2
    fi
  else
    echo "bench: the figures that need them are SKIPPED; to have them, run this once:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
  fi
fi

cargo build --release --quiet -p metnos-bench
exec target/release/metnos-bench target/metnos/metnos target/bench-data "$@"
