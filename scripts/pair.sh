#!/usr/bin/env bash
# Builds the two programs, the second bound to the digest of the first, into a folder.
#   pair.sh FOLDER [--config FILE] [--features NAME]
set -euo pipefail
cd "$(dirname "$0")/.."
out="$1"
shift
config=() features=()
while [ $# -gt 0 ]; do
  case "$1" in
    --config) config=(--config "$2") ;;
    --features) features=(--features "$2") ;;
  esac
  shift 2
done
built="${CARGO_TARGET_DIR:-target}/release"

# Copied only when it changed; taken away first, because it may be running.
place() {
  cmp -s "$built/$1" "$out/$1" || { rm -f "$out/$1" && cp "$built/$1" "$out/$1"; }
}

mkdir -p "$out"
cargo "${config[@]}" rustc --release --locked -p metnos-host --bin metnos-host "${features[@]}" -- \
  -C target-feature=+crt-static -C strip=symbols
place metnos-host
METNOS_HOST_DIGEST="$("$out/metnos-host" --digest)" \
  cargo "${config[@]}" build --release --locked -p metnos "${features[@]}"
place metnos
