#!/usr/bin/env bash
# `metnos` and `metnos-host` share dependencies; where both ask for the same features of one, it is compiled once.
#   unified.sh          fails and names the packages for which that is not so
#   unified.sh --write  writes crates/unify anew (with cargo-hakari), which makes it so
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --write ]; then
  command -v cargo-hakari >/dev/null || {
    echo "unify: cargo-hakari is missing: it writes crates/unify; installing it once"
    cargo install --locked --quiet cargo-hakari
  }
  cargo hakari generate
fi

# features PACKAGE: a line "name version, linked or build|features" for each dependency. What one program links and the
# other only needs to build is compiled for each anyway.
features() {
  local linked
  linked="$(cargo tree --locked -p "$1" -e normal --prefix none -f '{p}' | sort -u)"
  cargo tree --locked -p "$1" -e normal,build --no-dedupe --prefix none -f '{p}|{f}' | sort -u |
    awk -F'|' 'NR == FNR { linked[$1]; next } { print $1 ($1 in linked ? ", linked|" : ", build|") $2 }' <(echo "$linked") - |
    sort
}
differ="$(join -t'|' -j1 <(features metnos) <(features metnos-host) | awk -F'|' '$2 != $3' |
  awk -F'|' '{ n[$1]++; line[$1] = $0 } END { for (p in n) print line[p] }' | sort)"
[ -z "$differ" ] || {
  echo "unify: these are compiled twice, because the two programs ask for other features of them:" >&2
  echo "$differ" | sed 's/^/  /; s/|/: /; s/|/ and /' >&2
  echo "unify: run \`make unify\`" >&2
  exit 1
}
